import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { resourcesOf, type AppsParts } from '../../../src/domains/apps/index.ts'
import { fenced, viewing } from '../../../src/domains/apps/fence.ts'
import { collectOrphans } from '../../../src/domains/apps/orphans.ts'
import type { Apps, GrantName, ListedDeployment } from '../../../src/domains/apps/usecases/index.ts'
import { ClusterRole, ClusterRoleBinding, ConfigMap, Job, Namespace } from '../../../src/kube/index.ts'
import { writeChart } from '../helm/world.ts'
import { claim, hookOnClaim, page } from './charts.ts'
import { binding, GRANTS, OWN, RBAC, READER, role, triedApps, type TriedApps } from './tried.ts'
import { ADMIN, WorkerWorld } from './world.ts'

let world: WorkerWorld
let tried: TriedApps
let apps: Apps
let parts: AppsParts
beforeAll(async () => {
  world = await WorkerWorld.make()
  tried = await triedApps(world)
  ;({ apps, parts } = tried)
  await world.worker()
})
afterAll(async () => {
  await tried[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

const SETTABLE = {
  valuesSchema: { type: 'object', properties: { user: { type: 'object', properties: { text: { type: 'string' } } } } },
}

let published = 0
async function publish(
  templates: Readonly<Record<string, string>>,
  grants: readonly GrantName[] = [],
  more: { readonly name?: string; readonly acceptProblems?: boolean } = {},
): Promise<string> {
  const chartVersion = `1.0.${++published}`
  const all = { 'page.yaml': page('{{ printf "%s %s" .Values.ingress.host .Values.user.text | quote }}'), ...templates }
  const folder = await writeChart(world.dir, all, { version: chartVersion, values: 'user: { text: "" }\n', ...more })
  const { productId } = world
  const input = { productId, chartRef: folder, chartVersion, healthTimeoutSec: 60, grants, ...SETTABLE, ...more }
  return (await apps.publishTemplate(ADMIN, input)).id
}

const order = (templateId: string): Promise<ListedDeployment> =>
  world.orderWithoutVolume({}, `${randomBytes(4).toString('hex')}.example.com`, { templateId })

const roleNamed = (name: string) => world.client.get(ClusterRole, { name })
const bindingNamed = (name: string) => world.client.get(ClusterRoleBinding, { name })
/** Which of everything of a release outside of its namespace is there. */
const left = async ({ namespaceName }: Pick<ListedDeployment, 'namespaceName'>): Promise<string[]> => {
  const names = [`${namespaceName}-reader`, `caelus-release-${namespaceName}`]
  const found = await Promise.all(names.flatMap((name) => [roleNamed(name), bindingNamed(name)]))
  return found.flatMap((one) => (one === undefined ? [] : [`${one.kind}/${one.metadata.name}`]))
}

async function remove(deployment: ListedDeployment): Promise<void> {
  await world.apps.deleteDeployment(ADMIN, { id: deployment.id })
  await world.until(deployment.id, 'deleted')
  expect(await left(deployment)).toEqual([])
}

test('granted objects are installed, changed, repaired, shown and deleted', { timeout: 120_000 }, async () => {
  const made = await order(await publish(READER, GRANTS))
  const { id, namespaceName: namespace } = made
  const name = `${namespace}-reader`
  await world.until(id, 'ready')
  expect((await roleNamed(name))?.rules).toEqual([{ apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list'] }])
  expect((await bindingNamed(name))?.subjects).toEqual([{ kind: 'ServiceAccount', name: 'reader', namespace }])

  const more = '[{ apiGroups: [""], resources: [nodes], verbs: [get, list, watch] }]'
  await world.apps.updateDeployment(
    ADMIN,
    { id },
    { templateId: await publish({ ...READER, 'role.yaml': role(OWN, more) }, GRANTS) },
  )
  await world.until(id, 'ready')
  expect((await roleNamed(name))?.rules?.[0]?.verbs).toEqual(['get', 'list', 'watch'])

  await world.client.patch(ClusterRole, { name }, { merge: { rules: [] } })
  const verbs = async () => (await roleNamed(name))?.rules?.[0]?.verbs
  // A watch tells of it.
  await expect.poll(verbs, { timeout: 20_000 }).toEqual(['get', 'list', 'watch'])
  await world.client.delete(ClusterRoleBinding, { name })
  await expect.poll(() => bindingNamed(name), { timeout: 20_000 }).toBeDefined()

  const shown = (await resourcesOf(parts, id)).map(({ kind, name: of, health }) => `${kind}/${of} ${health}`)
  expect(shown).toEqual(expect.arrayContaining([`ClusterRole/${name} ready`, `ClusterRoleBinding/${name} ready`]))
  expect(await world.explain(id)).toMatchObject({ whoseMove: 'nobody', nextStep: null })

  // Without its rights a release cannot even be looked at.
  await world.client.delete(ClusterRoleBinding, { name: `caelus-release-${namespace}` })
  await world.lookAgain(id)
  expect(await world.row(id)).toMatchObject({ status: 'ready', lastError: null })
  await remove(made)
})

test('a template that no longer has a granted object takes it away', { timeout: 120_000 }, async () => {
  const made = await order(await publish(READER, GRANTS))
  await world.until(made.id, 'ready')
  await world.apps.updateDeployment(ADMIN, { id: made.id }, { templateId: await publish({}) })
  await world.until(made.id, 'ready')
  expect(await left(made)).toEqual(
    [`caelus-release-${made.namespaceName}`].flatMap((name) => [`ClusterRole/${name}`, `ClusterRoleBinding/${name}`]),
  )
  await remove(made)
})

test('what a superseded upgrade has brought is taken away', { timeout: 120_000 }, async () => {
  const calm = { 'claim.yaml': claim }
  const made = await order(await publish(calm))
  const { id, namespaceName: namespace } = made
  await world.until(id, 'ready')
  const hanging = { ...calm, ...READER, 'hook.yaml': hookOnClaim('post-upgrade') }
  await world.apps.updateDeployment(ADMIN, { id }, { templateId: await publish(hanging, GRANTS) })
  await expect.poll(async () => (await world.client.list(Job, { namespace })).length, { timeout: 30_000 }).toBe(1)
  expect(await left(made)).toHaveLength(4)
  await world.apps.updateDeployment(ADMIN, { id }, { templateId: await publish(calm) })
  await world.until(id, 'ready', 45_000)
  expect(await left(made)).toEqual([
    `ClusterRole/caelus-release-${namespace}`,
    `ClusterRoleBinding/caelus-release-${namespace}`,
  ])
  await remove(made)
})

test('one name more, or another content, is refused before anything is written', { timeout: 120_000 }, async () => {
  const more = '{{ tpl .Values.user.text . }}\n'
  const templateId = await publish({ ...READER, 'more.yaml': more }, GRANTS)
  const asked = {
    'one name more': role('evil'),
    'a binding of another role': binding('{{ .Release.Name }}-admin', 'cluster-admin'),
  }
  for (const text of Object.values(asked)) {
    const made = await order(templateId)
    await world.until(made.id, 'ready')
    await world.apps.updateDeployment(ADMIN, { id: made.id }, { userValues: { text } })
    const { lastError } = await world.until(made.id, 'error')
    expect(lastError).toMatchObject({ code: 'ObjectNotAllowed', retryable: false })
    expect((await world.revisions(made.namespaceName)).length).toBe(1)
    await remove(made)
  }
  const rules = '{{ .Values.user.text | default "[]" }}'
  const rights = await order(await publish({ ...READER, 'role.yaml': role(OWN, rules) }, GRANTS))
  await world.until(rights.id, 'ready')
  const text = '[{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }]'
  await world.apps.updateDeployment(ADMIN, { id: rights.id }, { userValues: { text } })
  const { lastError } = await world.until(rights.id, 'error')
  expect(lastError?.message).toContain(
    `ClusterRole/${rights.namespaceName}-reader (not as it was granted to the template: rules differ)`,
  )
  expect((await roleNamed(`${rights.namespaceName}-reader`))?.rules ?? []).toEqual([])
  await remove(rights)
})

test('templates find no other object of the cluster', { timeout: 60_000 }, async () => {
  const seen = `{{ (lookup "${RBAC}/v1" "ClusterRole" "" "cluster-admin") | toJson | quote }} `
  const listed = `{{ (lookup "${RBAC}/v1" "ClusterRole" "" "") | toJson | quote }}`
  const looking = `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: looking }\ndata: { seen: ${seen}, listed: ${listed} }\n`
  const made = await order(await publish({ ...READER, 'looking.yaml': looking }, GRANTS))
  await world.until(made.id, 'ready')
  const { data } = (await world.client.get(ConfigMap, { namespace: made.namespaceName, name: 'looking' })) ?? {}
  expect([data?.['seen'], data?.['listed']]).toEqual(['{}', expect.not.stringContaining('cluster-admin')])
  await remove(made)
})

test('an object of somebody else is neither adopted, repaired nor deleted', { timeout: 120_000 }, async () => {
  const name = `shared-${randomBytes(4).toString('hex')}`
  const grant = { kind: 'ClusterRole', name }
  const templateId = await publish({ 'role.yaml': role(name) }, [grant])
  const theirs = { apiVersion: `${RBAC}/v1` as const, kind: 'ClusterRole' as const, metadata: { name }, rules: [] }
  await world.client.create(ClusterRole, theirs)
  const first = await order(templateId)
  expect((await world.until(first.id, 'error')).lastError).toMatchObject({ code: 'ObjectTaken' })
  expect((await roleNamed(name))?.metadata.annotations ?? {}).toEqual({})
  await remove(first)
  expect(await roleNamed(name)).toBeDefined()
  await world.client.delete(ClusterRole, { name })

  // The first has it; another release of the same template gets none of it.
  const second = await order(templateId)
  await world.until(second.id, 'ready')
  const third = await order(templateId)
  const { lastError } = await world.until(third.id, 'error')
  expect(lastError).toMatchObject({ code: 'ObjectTaken' })
  await remove(third)
  expect((await roleNamed(name))?.metadata.annotations?.['meta.helm.sh/release-namespace']).toBe(second.namespaceName)

  // Replaced by somebody: not ours any more.
  await world.client.delete(ClusterRole, { name })
  await world.client.create(ClusterRole, theirs)
  await world.lookAgain(second.id)
  expect((await roleNamed(name))?.rules ?? []).toEqual([])
  await remove(second)
  expect(await roleNamed(name)).toBeDefined()
  await world.client.delete(ClusterRole, { name })
})

test('what was revoked stays, is not put back, and refuses the next change', { timeout: 120_000 }, async () => {
  const templateId = await publish(READER, GRANTS)
  const made = await order(templateId)
  const { id, namespaceName: namespace } = made
  await world.until(id, 'ready')
  const template = await apps.getTemplate(ADMIN, templateId)
  const grant = template.grants?.find(({ kind }) => kind === 'ClusterRole')
  await apps.revokeTemplateGrant(ADMIN, { id: templateId }, grant?.id ?? '')
  await expect(apps.revokeTemplateGrant(ADMIN, { id: templateId }, grant?.id ?? '')).rejects.toThrow(/grant/)
  await world.lookAgain(id)
  expect(await world.row(id)).toMatchObject({ status: 'ready' })
  expect(await roleNamed(`${namespace}-reader`)).toBeDefined()
  await expect(order(templateId)).rejects.toThrow(/ClusterRole/)

  await world.apps.updateDeployment(ADMIN, { id }, { userValues: { text: 'changed' } })
  const { lastError } = await world.until(id, 'error')
  expect(lastError).toMatchObject({ code: 'ObjectNotAllowed' })
  expect(lastError?.message).toContain(`ClusterRole/${namespace}-reader (its grant to the template was revoked)`)
  expect(await roleNamed(`${namespace}-reader`)).toBeDefined()

  await apps.grantTemplate(ADMIN, { id: templateId }, GRANTS)
  await world.apps.retryDeployment(ADMIN, { id })
  await world.until(id, 'ready')
  await apps.revokeTemplateGrant(ADMIN, { id: templateId }, (await standing(templateId))[0] ?? '')
  await remove(made)
})

test('the API server itself keeps releases apart, whatever is sent', { timeout: 120_000 }, async () => {
  const templateId = await publish(READER, GRANTS)
  const [ours, theirs] = [await order(templateId), await order(templateId)]
  for (const { id } of [ours, theirs]) await world.until(id, 'ready')
  const at = await world.client.get(Namespace, { name: ours.namespaceName })
  const fence = Number(at?.metadata.annotations?.['caelus.io/fence'])
  const us = world.client.as(fenced(ours.id, fence))
  const [own, other] = [ours, theirs].map(({ namespaceName }) => `${namespaceName}-reader`) as [string, string]
  const everything = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]
  const marked = (name: string, { namespaceName }: ListedDeployment): ClusterRole => ({
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name, annotations: { 'meta.helm.sh/release-namespace': namespaceName } },
    rules: everything,
  })
  const refusals: readonly (readonly [string, () => Promise<unknown>, RegExp])[] = [
    ['theirs', () => us.patch(ClusterRole, { name: other }, { merge: { rules: [] } }), /stale fence/],
    ['theirs, deleted', () => us.delete(ClusterRole, { name: other }), /stale fence/],
    [
      'theirs, as ours',
      () => us.apply(ClusterRole, marked(other, ours), { force: true }),
      /belongs to the cluster or to another/,
    ],
    ['another name', () => us.create(ClusterRole, marked('evil', ours)), /not granted|currently held/],
    [
      'another name, unmarked',
      () => us.create(ClusterRole, { ...marked('evil', ours), metadata: { name: 'evil' }, rules: [] }),
      /belongs to/,
    ],
    [
      'of the cluster',
      () => us.patch(ClusterRole, { name: 'cluster-admin' }, { merge: { rules: [] } }),
      /cannot patch/,
    ],
    [
      'our rights',
      () => us.patch(ClusterRole, { name: `caelus-release-${ours.namespaceName}` }, { merge: { rules: [] } }),
      /cannot patch/,
    ],
    [
      'no mark',
      () => us.patch(ClusterRole, { name: own }, { merge: { metadata: { annotations: null } } }),
      /belongs to/,
    ],
    [
      'an old fence',
      () => world.client.as(fenced(ours.id, fence - 1)).delete(ClusterRole, { name: own }),
      /stale fence/,
    ],
    ['no fence', () => world.client.as({ user: 'caelus:worker' }).delete(ClusterRole, { name: own }), /stale fence/],
    ['by a look', () => world.client.as(viewing).delete(ClusterRole, { name: own }), /dry runs alone/],
  ]
  for (const [what, refused, why] of refusals) await expect(refused(), what).rejects.toThrow(why)
  expect((await roleNamed(other))?.rules?.length).toBe(1)
  await remove(ours)
  expect(await left(theirs)).toHaveLength(4)
  await remove(theirs)
})

const standing = async (templateId: string): Promise<string[]> =>
  ((await apps.getTemplate(ADMIN, templateId)).grants ?? []).flatMap(({ id, revokedAt }) =>
    revokedAt === null ? [id] : [],
  )

test('a release whose namespace somebody deleted leaves nothing either', { timeout: 120_000 }, async () => {
  const made = await order(await publish(READER, GRANTS))
  await world.until(made.id, 'ready')
  await world.apps.suspendDeployment(ADMIN, { id: made.id })
  await world.client.delete(Namespace, { name: made.namespaceName })
  const isGone = async () => (await world.client.get(Namespace, { name: made.namespaceName })) === undefined
  await expect.poll(isGone, { timeout: 30_000 }).toBe(true)
  await world.apps.deleteDeployment(ADMIN, { id: made.id })
  await world.until(made.id, 'deleted')
  await collectOrphans({ ...parts, clusterId: null }, AbortSignal.timeout(30_000))
  expect(await left(made)).toEqual([])
})
