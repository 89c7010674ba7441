export {
  ClassRuntime,
  DIMENSIONS,
  MODES,
  type AppliedRecommendation,
  type ClassRuntimeSpec,
  type ClassRuntimeStatus,
  type Dimension,
  type FunctionSpec,
  type FunctionStatus,
  type Mode,
  type NfrState,
  type Recommendation,
} from './class-runtime.ts'
export {
  runtimesController,
  type RuntimesController,
  type RuntimesControllerHappenings,
  type RuntimesControllerOptions,
} from './controller.ts'
export { KnativeService, PodMonitor, resourceOf, ServiceMonitor } from './foreign.ts'
export type { RuntimesHappenings } from './happenings.ts'
export type { NfrSettings, RuntimesSettings } from './settings.ts'
export { PROFILES, TEMPLATE_IDS, type Profile, type RenderSettings, type TemplateId } from './templates/template.ts'
export * from './types.ts'
