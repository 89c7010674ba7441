import type { Draft } from '../../../kube/index.ts'
import type { PodMonitor, ServiceMonitor } from '../watch/optional-kinds.ts'
import { monitorName } from '../names.ts'
import type { RenderedChild } from '../types.ts'
import { metadataOf, selectorOf } from './metadata.ts'
import { telemetryOf } from './telemetry.ts'
import type { RenderInput } from './template.ts'

const wantsMetrics = ({ runtime }: RenderInput): boolean => telemetryOf(runtime.spec)?.metrics === true

/** Scrapes the functions by their Services where that can be said, otherwise by their pods. */
export function monitorChildren(input: RenderInput): RenderedChild[] {
  if (!wantsMetrics(input)) return []
  return input.served.includes('ServiceMonitor') ? [serviceMonitor(input)] : podMonitorChildren(input, 'http')
}

/** For functions whose Services are not ours. */
export function podMonitorChildren(input: RenderInput, port: string): RenderedChild[] {
  if (!wantsMetrics(input) || !input.served.includes('PodMonitor')) return []
  const name = monitorName(input.runtime.metadata.name, 'PodMonitor')
  const object: Draft<PodMonitor> = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PodMonitor',
    metadata: metadataOf(input.runtime, { name, component: 'monitor' }),
    spec: {
      selector: { matchLabels: selectorOf(input.runtime, 'function') },
      podMetricsEndpoints: [{ port, path: '/metrics' }],
    },
  }
  return [{ kind: 'PodMonitor', name, component: 'monitor', object, handed: [] }]
}

function serviceMonitor({ runtime }: RenderInput): RenderedChild {
  const name = monitorName(runtime.metadata.name, 'ServiceMonitor')
  const object: Draft<ServiceMonitor> = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'ServiceMonitor',
    metadata: metadataOf(runtime, { name, component: 'monitor' }),
    spec: {
      selector: { matchLabels: selectorOf(runtime, 'function') },
      endpoints: [{ port: 'http', path: '/metrics' }],
    },
  }
  return { kind: 'ServiceMonitor', name, component: 'monitor', object, handed: [] }
}
