export { chooseTemplate, managedKinds, TEMPLATES, type Choice } from './choose.ts'
export type * from './template.ts'
export { PROFILES, TEMPLATE_IDS } from './template.ts'
