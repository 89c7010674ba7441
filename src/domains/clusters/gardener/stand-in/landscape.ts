import type { CloudProfile, CredentialsBinding, Project } from '../resources.ts'

/** The namespace of the operators of a garden. */
export const GARDEN = 'garden'

/** What the operators of the mock offer. Dates are far away from any test or demo. */
export const demoProfile: Omit<CloudProfile, 'metadata'> & { readonly metadata: { readonly name: string } } = {
  apiVersion: 'core.gardener.cloud/v1beta1',
  kind: 'CloudProfile',
  metadata: { name: 'local' },
  spec: {
    type: 'local',
    regions: [{ name: 'local' }, { name: 'eu-west' }, { name: 'eu-north' }],
    kubernetes: {
      versions: [
        { version: '1.36.0', classification: 'preview' },
        { version: '1.35.4', classification: 'supported' },
        { version: '1.35.1', classification: 'deprecated', expirationDate: '2099-06-30T00:00:00Z' },
        { version: '1.34.3', classification: 'supported' },
        { version: '1.34.1', classification: 'deprecated', expirationDate: '2099-03-31T00:00:00Z' },
        { version: '1.33.7', classification: 'supported' },
        { version: '1.33.0', classification: 'deprecated', expirationDate: '2020-01-31T00:00:00Z' },
      ],
    },
    machineTypes: [
      { name: 'local', cpu: '2', gpu: '0', memory: '8Gi' },
      { name: 'local-large', cpu: '8', gpu: '0', memory: '32Gi' },
      { name: 'local-gpu', cpu: '8', gpu: '1', memory: '64Gi' },
      { name: 'local-retired', cpu: '1', gpu: '0', memory: '2Gi', usable: false },
    ],
    machineImages: [{ name: 'local', versions: [{ version: '1.0.0' }, { version: '1.1.0' }] }],
  },
}

export const demoCredentials: Omit<CredentialsBinding, 'metadata'> & {
  readonly metadata: { readonly name: string; readonly namespace: string }
} = {
  apiVersion: 'security.gardener.cloud/v1alpha1',
  kind: 'CredentialsBinding',
  metadata: { name: 'local', namespace: GARDEN },
  provider: { type: 'local' },
  credentialsRef: { apiVersion: 'v1', kind: 'Secret', name: 'local', namespace: GARDEN },
}

export const projectDraft = (name: string, namespace?: string): Project => ({
  apiVersion: 'core.gardener.cloud/v1beta1',
  kind: 'Project',
  metadata: { name },
  spec: namespace === undefined ? {} : { namespace },
})
