import type { DomainAbout } from '../../components/page/DomainPage.tsx'

export const about: DomainAbout = {
  name: 'edge',
  title: 'Edge',
  summary: 'Pods of the cluster, running on devices far from it.',
  desired: 'Pods bound to virtual nodes',
  converged: 'Applications on Flightctl devices',
  promises: [
    'The device chosen for a pod, and why, is written on the pod before anything is sent.',
    'A restart of the control plane loses nothing and removes nothing.',
    'An outage of the agent is distinguished from an outage of the device.',
  ],
}
