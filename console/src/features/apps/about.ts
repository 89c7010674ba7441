import type { DomainAbout } from '../../components/page/DomainPage.tsx'

export const about: DomainAbout = {
  name: 'apps',
  title: 'Apps',
  summary: 'Helm products, ordered by tenants and kept as ordered.',
  desired: 'Products, templates and deployments in PostgreSQL',
  converged: 'A namespace and a Helm release per deployment',
  promises: [
    'A deployment keeps its namespace and release name for life; its domain may change.',
    'Edits by hand are found and reverted, unless another manager is meant to own the field.',
    'Deleting finishes even when the chart or its template is gone, and names what blocks it.',
  ],
}
