import type { DomainAbout } from '../../components/page/DomainPage.tsx'

export const about: DomainAbout = {
  name: 'clusters',
  title: 'Clusters',
  summary: 'Kubernetes clusters for organizations, made by Gardener.',
  desired: 'Clusters and node pools per organization in PostgreSQL',
  converged: 'Gardener Shoots',
  promises: [
    'A change made while a cluster is being synchronized is synchronized again.',
    'A Shoot without a living row is removed only after a grace period, a few at a time.',
    'A cluster is ready when Gardener says so about the generation that was ordered.',
  ],
}
