import type { DomainAbout } from '../../components/page/DomainPage.tsx'

export const about: DomainAbout = {
  name: 'runtimes',
  title: 'Runtimes',
  summary: 'Classes with their functions, run and kept within their targets.',
  desired: 'The custom resource ClassRuntime',
  converged: 'Deployments, Services, Knative services and autoscalers',
  promises: [
    'A child that disappears is applied again at once.',
    'A field with another owner is never taken over silently.',
    'Targets for throughput and latency become recommendations, and changes where that is allowed.',
  ],
}
