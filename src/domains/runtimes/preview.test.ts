import { expect, it } from 'vitest'
import type { ClassRuntimeSpec } from './class-runtime.ts'
import { pathText } from '../../kube/index.ts'
import { available, fn, SPEC } from './fake/cart.ts'
import { edited, looking, play, rewritten, rolledOut, SETTINGS, worldOf, withChild, type World } from './fake/world.ts'
import { preview } from './preview.ts'

const previewed = (world: World, spec: ClassRuntimeSpec) => {
  const { template, objects, problems } = preview(world.seen, { ...world.seen.runtime, spec }, SETTINGS)
  const texts = objects.map(({ object, change, fields }) => [
    `${object} ${change}`,
    ...fields.map((field) => `${pathText(field.path)} ${field.change}`),
  ])
  return { template, objects: texts, problems }
}
const withConfig = (config: Record<string, string>): ClassRuntimeSpec => ({
  ...SPEC,
  functions: [{ ...fn('checkout'), config }],
})

it('shows nothing for a spec that changes nothing', () => {
  expect(previewed(available, SPEC)).toEqual({
    template: { before: 'k8s_deployment', after: 'k8s_deployment' },
    objects: [],
    problems: [],
  })
})

it('shows what would be made of one that is not there yet', () => {
  const { template, objects } = previewed(worldOf(SPEC), SPEC)
  expect(template).toEqual({ before: null, after: 'k8s_deployment' })
  expect(objects.map(([first]) => first)).toEqual([
    'Deployment/cart--checkout created',
    'Service/cart--checkout created',
  ])
})

it('shows every field of what would be made, each alone and by the names of lists', () => {
  const world = worldOf(withConfig({ A: '1' }))
  const [deployment, service] = preview(world.seen, world.seen.runtime, SETTINGS).objects
  const shown = (fields = deployment?.fields) =>
    Object.fromEntries((fields ?? []).map((field) => [`${field.change} ${pathText(field.path)}`, field.after]))
  expect(shown()).toMatchObject({
    'added metadata.labels["oaas.io/owner"]': 'cart',
    'added spec.replicas': 1,
    'added spec.template.spec.containers[name=function].image': 'checkout:1',
    'added spec.template.spec.containers[name=function].env[name=A].value': '1',
    'added spec.template.spec.containers[name=function].ports[containerPort=8080,protocol=TCP].name': 'http',
    'added spec.template.spec.containers[name=function].securityContext.capabilities.drop[0]': 'ALL',
  })
  expect(shown(service?.fields)).toMatchObject({ 'added spec.ports[port=80,protocol=TCP].targetPort': 'http' })
  const all = JSON.stringify([shown(), shown(service?.fields)])
  expect(all).not.toMatch(/rendered-fields|ownerReferences|apiVersion|metadata\.name/)
})

it('shows fields with what they are and would be, also those that are taken back', () => {
  const world = play(rolledOut(play(worldOf(withConfig({ A: '1', B: '2' }))).world)).world
  const { objects } = preview(world.seen, { ...world.seen.runtime, spec: withConfig({ A: '3', C: '4' }) }, SETTINGS)
  const value = (name: string) => [
    'spec',
    'template',
    'spec',
    'containers',
    { key: { name: 'function' } },
    'env',
    { key: { name } },
    'value',
  ]
  expect(objects).toEqual([
    {
      object: 'Deployment/cart--checkout',
      change: 'changed',
      fields: [
        { path: value('A'), change: 'changed', before: '1', after: '3' },
        { path: value('C'), change: 'added', after: '4' },
        { path: value('B'), change: 'removed', before: '2' },
      ],
    },
  ])
})

it('shows what would be deleted, whatever the brakes say', () => {
  const busy = looking(available, { recent: { enforcements: 0, orphans: 99 } })
  expect(previewed(busy, { ...SPEC, functions: [fn('pay')] }).objects).toEqual([
    expect.arrayContaining(['Deployment/cart--pay created', 'spec.replicas added']),
    expect.arrayContaining(['Service/cart--pay created', 'spec.ports[port=80,protocol=TCP].name added']),
    ['Deployment/cart--checkout deleted'],
    ['Service/cart--checkout deleted'],
  ])
})

it('chooses the template anew for another spec', () => {
  const { selected_template: _, ...spec } = SPEC
  const world = looking(available, { served: [...available.seen.served, 'KnativeService'] })
  expect(previewed(world, { ...spec, functions: [fn('checkout', 'a:2')] }).template).toEqual({
    before: 'k8s_deployment',
    after: 'knative',
  })
})

it('shows what would be put back besides', () => {
  const labels = { metadata: { labels: { 'oaas.io/component': 'mine' } } }
  const world = withChild(available, { kind: 'Service', name: 'cart--checkout' }, edited(labels))
  expect(previewed(world, SPEC).objects).toEqual([
    ['Service/cart--checkout changed', 'metadata.labels["oaas.io/component"] changed'],
  ])
})

it('names the field of a mistake', () => {
  expect(previewed(available, { ...SPEC, selected_template: 'vm' })).toMatchObject({
    template: { after: null },
    problems: [
      { field: 'spec.selected_template', message: expect.stringContaining('unknown template "vm"') as string },
    ],
  })
  expect(previewed(available, { ...SPEC, functions: [fn('checkout', '')] })).toMatchObject({
    objects: [],
    problems: [{ field: 'spec.functions[0].provision_config.container_image' }],
  })
})

it('is what happens', () => {
  const spec = { ...SPEC, functions: [fn('checkout', 'a:2'), fn('pay')] }
  const { done } = play(rewritten(available, spec))
  const shown = previewed(available, spec).objects.map(([first = '']) => first.split(' ')[0])
  expect(done.map(({ action }) => ('child' in action ? `${action.child.kind}/${action.child.name}` : ''))).toEqual(
    shown,
  )
})
