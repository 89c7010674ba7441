import type { DomainAbout } from '../../components/page/DomainPage.tsx'

export const about: DomainAbout = {
  name: 'actions',
  title: 'Actions',
  summary: 'Changes to a cluster that are checked, approved and done once.',
  desired: 'The custom resources KubernetesExecution and RemediationRequest',
  converged: 'Guarded Jobs that change the cluster once',
  promises: [
    'Every action is validated against rights, policy and a dry run before it may start.',
    'An approval holds for exactly the plan that was shown.',
    'Where there is a way back, it is recorded and can be taken.',
  ],
}
