import { isAlreadyExists, type Client } from '../../../kube/index.ts'
import { raise } from '../failures.ts'
import type { GardenerSettings } from '../shoot/wanted.ts'
import type { FencedWrite, ProjectDraft } from './gardener.ts'
import { CredentialsBindings, Projects, type Project } from './resources.ts'
import { ORGANIZATION_ID } from './shoot.ts'

/** The projects that organizations keep their Shoots in. */
export interface GardenProjects {
  /** The namespace of a project, created where it is missing; undefined: Gardener has not made it yet. */
  ensure(project: ProjectDraft, write: FencedWrite): Promise<string | undefined>
  /** Copies the credentials binding of the settings into the namespace of a project, where it is not there yet. */
  ensureCredentials(namespace: string, write: FencedWrite): Promise<void>
  /** Gardener does not know the namespace or its binding any more. */
  forget(namespace: string): void
}

export function gardenProjects(client: Client, settings: GardenerSettings): GardenProjects {
  /** Namespaces of projects that were ready. They never change while the project exists. */
  const namespaces = new Map<string, string>()
  /** Namespaces that have the binding. */
  const withBinding = new Set<string>()

  async function ensure(draft: ProjectDraft, write: FencedWrite): Promise<string | undefined> {
    const known = settings.namespace ?? namespaces.get(draft.name)
    if (known !== undefined) return known
    const at = { name: draft.name }
    const found = (await client.get(Projects, at, write.signal)) ?? (await createProject(draft, write))
    const owner = found.metadata.labels?.[ORGANIZATION_ID]
    if (owner !== draft.organizationId)
      throw raise.ProjectTaken(`Project ${draft.name} belongs to ${owner ?? 'nobody'}, not to ${draft.organizationId}`)
    const namespace = found.spec?.namespace
    if (namespace === undefined || found.status?.phase !== 'Ready') return undefined
    await ensureCredentials(namespace, write)
    namespaces.set(draft.name, namespace)
    return namespace
  }

  async function createProject({ name, organizationId }: ProjectDraft, write: FencedWrite): Promise<Project> {
    const labels = { [ORGANIZATION_ID]: organizationId }
    const by = client.guardedBy(write.assertLeased)
    const { signal } = write
    try {
      return await by.create(
        Projects,
        { apiVersion: 'core.gardener.cloud/v1beta1', kind: 'Project', metadata: { name, labels }, spec: {} },
        { signal },
      )
    } catch (error) {
      const found = isAlreadyExists(error) ? await client.get(Projects, { name }, signal) : undefined
      if (found === undefined) throw error
      return found
    }
  }

  async function ensureCredentials(namespace: string, write: FencedWrite): Promise<void> {
    const { credentialsBindingName: name, credentialsFrom: from } = settings
    // Into a namespace that the settings name, operators put it themselves.
    if (settings.namespace !== undefined || name === undefined || from === undefined || from === namespace) return
    if (withBinding.has(namespace)) return
    await copyBinding(namespace, name, from, write)
    withBinding.add(namespace)
  }

  async function copyBinding(
    namespace: string,
    name: string,
    from: string,
    { assertLeased, signal }: FencedWrite,
  ): Promise<void> {
    if ((await client.get(CredentialsBindings, { namespace, name }, signal)) !== undefined) return
    const source = await client.get(CredentialsBindings, { namespace: from, name }, signal)
    if (source === undefined)
      throw raise.GardenerMisconfigured(
        `GARDENER_CREDENTIALS_BINDING_NAME names the CredentialsBinding ${from}/${name}, which does not exist`,
      )
    const { apiVersion, kind, provider, credentialsRef } = source
    const copy = { apiVersion, kind, metadata: { name, namespace }, ...(provider && { provider }), credentialsRef }
    await client
      .guardedBy(assertLeased)
      .create(CredentialsBindings, copy, { signal })
      .catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error
      })
  }

  return {
    ensure,
    ensureCredentials,
    forget(namespace) {
      withBinding.delete(namespace)
      for (const [project, known] of namespaces) if (known === namespace) namespaces.delete(project)
    },
  }
}
