// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest'
import type { TemplateFormView } from '../../lib/api/contract.ts'
import { render } from '../../testing/render.tsx'
import { SchemaForm, useSchemaForm } from './index.ts'
import type { JsonObject } from './index.ts'

const form = (schema: JsonObject, rest: Partial<TemplateFormView> = {}): TemplateFormView => ({
  enabled: true,
  schema,
  ui_hints: [],
  defaults: {},
  hidden: [],
  ...rest,
})

interface TriedProps {
  readonly view: TemplateFormView
  readonly held?: readonly string[]
}

/** The form with what would be sent beneath it. */
function Tried({ view, held }: TriedProps) {
  const handle = useSchemaForm({ form: view, ...(held && { held }) })
  return (
    <>
      <SchemaForm form={handle} enabled={view.enabled} />
      <output>{JSON.stringify(handle.written)}</output>
      <button type="button" onClick={handle.reveal}>
        Go on
      </button>
    </>
  )
}

const everything = form(
  {
    type: 'object',
    required: ['title'],
    properties: {
      title: { type: 'string', minLength: 2, description: 'Shown in the tab.' },
      replicas: { type: 'integer', minimum: 1, maximum: 5 },
      debug: { type: 'boolean' },
      size: { enum: ['small', 'large'] },
      hosts: { type: 'array', maxItems: 2, items: { type: 'string' } },
      mail: { type: 'object', properties: { server: { type: 'string' } } },
      features: { type: 'array', uniqueItems: true, items: { enum: ['search', 'chat'] } },
      password: { type: 'string', writeOnly: true },
    },
  },
  {
    ui_hints: [
      { pointer: '/replicas', widget: 'number', title: 'Copies', unit: 'pods', order: 0 },
      { pointer: '/hosts', widget: 'list', title: 'Hosts' },
    ],
    defaults: { replicas: 1 },
  },
)

describe('a form made from a schema', () => {
  test('has a control for every kind of field, in the order that was asked for', async () => {
    using screen = await render(<Tried view={everything} />)
    const labels = [...screen.root.querySelectorAll('label, legend')].map((label) => label.textContent.trim())
    expect(labels[0]).toBe('Copies')
    for (const label of ['title *', 'debug', 'size', 'Hosts', 'mail', 'server', 'search', 'chat', 'password']) {
      expect(labels, label).toContain(label)
    }
    expect(screen.text()).toContain('Shown in the tab.')
    expect(screen.find('input[data-field="/replicas"]').getAttribute('value') ?? '').toContain('1 pods')
    expect(screen.find('input[data-field="/password"]').getAttribute('type')).toBe('password')
  })

  test('tells what is missing when one wants to go on, and takes it back when it is there', async () => {
    using screen = await render(<Tried view={everything} />)
    expect(screen.text()).not.toContain('is required')
    await screen.click('button', 'Go on')
    expect(screen.text()).toContain('is required')
    await screen.type('input[data-field="/title"]', 'x')
    expect(screen.text()).toContain('must have at least 2 characters')
    await screen.type('input[data-field="/title"]', 'Shop')
    expect(screen.text()).not.toContain('must have')
    expect(screen.find('output').textContent).toBe('{"title":"Shop"}')
  })

  test('adds items up to the limit and removes them', async () => {
    using screen = await render(<Tried view={everything} />)
    await screen.click('button', 'Add host')
    await screen.click('button', 'Add host')
    await screen.type('input[data-field="/hosts/1"]', 'b.example')
    expect((screen.find('button', 'Add host') as HTMLButtonElement).disabled).toBe(true)
    await screen.click('button', 'Remove host 1')
    expect(screen.find('output').textContent).toBe('{"hosts":["b.example"]}')
  })

  test('moves items by buttons, and the focus with them', async () => {
    using screen = await render(
      <Tried
        view={form(
          { type: 'object', properties: { hosts: { type: 'array', maxItems: 3, items: { type: 'string' } } } },
          { defaults: { hosts: ['a', 'b', 'c'] } },
        )}
      />,
    )
    const button = (name: string) => screen.find(`button[aria-label="${name}"]`) as HTMLButtonElement
    const focused = () => document.activeElement?.getAttribute('aria-label')
    expect([button('Move host 1 up').disabled, button('Move host 3 down').disabled]).toEqual([true, true])
    await screen.click('button', 'Move host 3 up')
    expect(screen.find('output').textContent).toBe('{"hosts":["a","c","b"]}')
    await screen.until(() => focused() === 'Move host 2 up')
    await screen.click('button', 'Move host 2 up')
    expect(screen.find('output').textContent).toBe('{"hosts":["c","a","b"]}')
    await screen.until(() => focused() === 'Move host 1 down')
    await screen.click('button', 'Remove host 1')
    await screen.click('button', 'Remove host 1')
    expect(screen.root.querySelector('[data-move]')).toBeNull()
  })

  test('offers alternatives that are constants as a choice, by their titles', async () => {
    const sizes = [{ const: 's', title: 'Small' }, { const: 'l', title: 'Large' }, { const: 'x' }]
    const view = form({
      type: 'object',
      properties: {
        size: { oneOf: sizes },
        speed: { anyOf: [{ const: 1 }, { const: 2 }] },
        features: { type: 'array', uniqueItems: true, items: { oneOf: sizes } },
      },
    })
    using screen = await render(<Tried view={view} />)
    await screen.click('input[data-field="/size"]')
    await screen.click('[role="option"]', 'Large')
    await screen.click('input[data-field="/speed"]')
    await screen.click('[role="option"]', '2')
    await screen.click('input[type="checkbox"]')
    expect(screen.find('output').textContent).toBe('{"size":"l","speed":2,"features":["s"]}')
    expect(screen.text()).toContain('Small')
  })

  test('never shows a stored secret, and asks whether to keep, replace or remove it', async () => {
    using screen = await render(<Tried view={everything} held={['/password']} />)
    expect(screen.text()).toContain('A value is stored. It cannot be shown.')
    expect(screen.find('output').textContent).toBe('{}')
    await screen.click('input[value="remove"]')
    expect(screen.find('output').textContent).toBe('{"password":null}')
    await screen.click('input[value="replace"]')
    await screen.type('input[data-field="/password"]', 'new one')
    expect(screen.find('output').textContent).toBe('{"password":"new one"}')
    await screen.click('input[value="keep"]')
    expect(screen.find('output').textContent).toBe('{}')
  })

  test('shows a field when its condition holds', async () => {
    const view = form({
      type: 'object',
      properties: { tls: { type: 'boolean' } },
      if: { properties: { tls: { const: true } }, required: ['tls'] },
      then: { properties: { issuer: { type: 'string' } } },
    })
    using screen = await render(<Tried view={view} />)
    expect(screen.text()).not.toContain('issuer')
    await screen.click('input[data-field="/tls"]')
    await screen.type('input[data-field="/issuer"]', 'acme')
    expect(screen.find('output').textContent).toBe('{"tls":true,"issuer":"acme"}')
    await screen.click('input[data-field="/tls"]')
    expect(screen.find('output').textContent).toBe('{"tls":false}')
  })

  test('says so when there is nothing to set', async () => {
    using screen = await render(<Tried view={form({}, { enabled: false })} />)
    expect(screen.text()).toContain('This product takes no settings.')
  })
})
