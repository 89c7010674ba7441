import type { ManagedKind } from '../types.ts'
import { functionAutoscaler, functionDeployment, functionService, type DeploymentStyle } from './function-children.ts'
import { monitorChildren } from './monitors.ts'
import { deploymentReady } from './readiness.ts'
import { renderClass } from './render.ts'
import type { Rendered, RenderInput, Template } from './template.ts'

const MANAGED: readonly ManagedKind[] = [
  'Deployment',
  'Service',
  'HorizontalPodAutoscaler',
  'ServiceMonitor',
  'PodMonitor',
]

/** A template whose functions are Deployments with a Service each. */
export const deploymentTemplate = (
  style: DeploymentStyle,
  about: Pick<Template, 'id' | 'aliases' | 'score'>,
): Template => ({
  ...about,
  managed: MANAGED,
  needs: ['Deployment', 'Service'],
  supportsOdgm: true,
  readiness: { Deployment: deploymentReady },
  render: (input) => renderDeployments(input, style),
})

const renderDeployments = (input: RenderInput, style: DeploymentStyle): Rendered =>
  renderClass(input, {
    workload: 'Deployment',
    reserved: ['PORT'],
    function: (fn) => [
      functionDeployment(input, fn, style),
      functionService(input, fn),
      ...functionAutoscaler(input, fn, style),
    ],
    monitors: () => monitorChildren(input),
  })
