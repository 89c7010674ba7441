import { raise } from '../failures.ts'
import type { Catalogue } from '../gardener/gardener.ts'
import { isSameMinor, versionOf } from '../shoot/version.ts'
import { isOrderable, upgradesFrom, type Upgrade } from '../shoot/versions.ts'
import type { Cluster, NodePool, OrganizationLimits } from '../types.ts'
import type { ListedCluster, NodePoolInput, PreviewProblem, VersionUpgrade } from './port.ts'
import { hasShoot, presentVersion } from './problems.ts'

/* What Gardener's CloudProfile offers, beside what was asked for. */

/** `before`: absent for a new cluster. Only what changes is judged. */
export function offerProblems(
  catalogue: Catalogue,
  limits: OrganizationLimits,
  wanted: Cluster,
  before: ListedCluster | undefined,
): readonly PreviewProblem[] {
  const machineTypes = catalogue.machineTypes.filter(({ isUsable }) => isUsable).map(({ name }) => name)
  return [
    ...(before === undefined ? unlessOffered('region', wanted.region, within(catalogue.regions, limits.regions)) : []),
    ...versionProblems(catalogue, wanted.kubernetesVersion, before),
    ...wanted.nodePools.flatMap((pool, index) =>
      isKept(pool, before?.nodePools ?? [])
        ? []
        : unlessOffered(
            `node_pools[${index}].machine_type`,
            pool.machineType,
            within(machineTypes, limits.machineTypes),
          ),
    ),
  ]
}

const within = (offered: readonly string[], allowed: readonly string[] | null): readonly string[] =>
  allowed === null ? offered : offered.filter((name) => allowed.includes(name))

const isKept = ({ name, machineType }: NodePoolInput, before: readonly NodePool[]): boolean =>
  before.some((pool) => pool.name === name && pool.machineType === machineType)

function unlessOffered(field: string, value: string, supported: readonly string[]): PreviewProblem[] {
  if (supported.includes(value)) return []
  const message = `is not offered: ${value}`
  const instead = supported.length === 0 ? 'nothing is offered' : `offered are ${supported.join(', ')}`
  const { failure } = raise.NotOffered(`${value} is not offered; ${instead}`)
  return [{ field, message, supported, failure }]
}

function versionProblems({ versions }: Catalogue, wanted: string, before: ListedCluster | undefined): PreviewProblem[] {
  const refused = (supported: readonly string[]): PreviewProblem[] => {
    const instead = supported.length === 0 ? 'there is none' : `those are ${supported.join(', ')}`
    const { failure } = raise.VersionRefused(`version ${wanted} is not among those that Gardener accepts; ${instead}`)
    return [{ field: 'kubernetes_version', message: `Gardener does not accept ${wanted}`, supported, failure }]
  }
  if (before === undefined || (wanted !== before.kubernetesVersion && !hasShoot(before))) {
    const orderable = versions.map(({ version }) => version).filter((version) => isOrderable(version, versions))
    return isOrderable(wanted, versions) ? [] : refused(orderable)
  }
  if (wanted === before.kubernetesVersion) return []
  const present = presentVersion(before)
  const upgrades = upgradesFrom(present, versions, before.nodePools).map(({ version }) => version)
  return [present, ...upgrades].some((version) => meets(wanted, version)) ? [] : refused(upgrades)
}

/** A version without a patch is met by every patch of it. */
function meets(wanted: string, offered: string): boolean {
  const [asked, one] = [versionOf(wanted), versionOf(offered)]
  if (asked === undefined || one === undefined) return wanted === offered
  return asked.patch === undefined ? isSameMinor(asked, one) : wanted === offered
}

/** With what each upgrade would change, in sentences. */
export const upgradesOf = (cluster: ListedCluster, { versions }: Catalogue): VersionUpgrade[] =>
  upgradesFrom(presentVersion(cluster), versions, cluster.nodePools).map((upgrade) => ({
    version: upgrade.version,
    kind: upgrade.kind,
    classification: upgrade.classification,
    expiresAt: upgrade.expiresAt,
    changes: changesOf(upgrade),
  }))

const changesOf = ({ version, kind, rolls }: Upgrade): string[] =>
  kind === 'patch'
    ? [`the control plane and the kubelets move to ${version}`, 'no node is replaced']
    : [
        `the control plane moves to ${version}, and cannot go back`,
        `all nodes of ${rolls.join(', ')} are replaced, one after the other`,
      ]
