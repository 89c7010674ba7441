export { chooseTemplate, managedKinds, TEMPLATES, type Choice } from './choose.ts'
export type * from './template.ts'
