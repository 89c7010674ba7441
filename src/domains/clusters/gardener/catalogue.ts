import type { Catalogue, KubernetesVersion } from './gardener.ts'
import type { CloudProfile, ProfileVersion } from './resources.ts'

/** What a CloudProfile offers at this time. */
export const catalogueOf = ({ spec }: CloudProfile, now: number): Catalogue => ({
  regions: (spec.regions ?? []).map(({ name }) => name),
  versions: (spec.kubernetes.versions ?? []).map((version) => offered(version, now)),
  machineTypes: (spec.machineTypes ?? []).map(({ name, cpu, gpu, memory, usable = true }) => ({
    name,
    cpu,
    gpu,
    memory,
    isUsable: usable,
  })),
  machineImages: (spec.machineImages ?? []).map(({ name, versions = [] }) => ({
    name,
    versions: versions.map(({ version }) => version),
  })),
})

function offered({ version, classification, expirationDate }: ProfileVersion, now: number): KubernetesVersion {
  const expiry = Date.parse(expirationDate ?? '')
  const expiresAt = Number.isNaN(expiry) ? null : expiry
  if (expiresAt !== null && expiresAt <= now) return { version, classification: 'expired', expiresAt }
  const isKnown = classification === 'preview' || classification === 'deprecated'
  return { version, classification: isKnown ? classification : 'supported', expiresAt }
}
