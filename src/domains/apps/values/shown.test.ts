import { describe, expect, it } from 'vitest'
import { expectNoSentinel, SENTINEL } from '../../../../test/support/sentinel.ts'
import type { JsonObject } from './json.ts'
import { MASK } from './redaction.ts'
import { DEFAULT_LAYOUT } from './layout.ts'
import { shownTemplate, shownValues } from './shown.ts'

const secret = { type: 'string', writeOnly: true, default: SENTINEL, examples: [SENTINEL] }
const valuesSchema: JsonObject = {
  type: 'object',
  $defs: { password: secret },
  default: { smtp: { password: SENTINEL, host: 'mail' } },
  properties: {
    user: {
      type: 'object',
      default: { password: SENTINEL, size: 's' },
      properties: {
        password: { $ref: '#/$defs/password' },
        size: { type: 'string', enum: ['s', 'm'] },
        plan: { type: 'string', readOnly: true },
      },
    },
    smtp: {
      type: 'object',
      properties: { password: { type: 'string', format: 'password' }, host: { type: 'string' } },
    },
  },
}
const template = {
  layout: DEFAULT_LAYOUT,
  valuesSchema,
  defaultValues: {
    user: { password: SENTINEL, size: 's', plan: 'gold' },
    smtp: { password: SENTINEL, host: 'mail' },
    internal: 'https://intranet.example',
  },
}

describe('shownTemplate', () => {
  it('shows an admin everything but what is write-only, in defaults and in the schema', () => {
    const shown = shownTemplate(template, { admin: true })
    expectNoSentinel(shown)
    expect(shown.defaultValues).toEqual({
      user: { password: MASK, size: 's', plan: 'gold' },
      smtp: { password: MASK, host: 'mail' },
      internal: 'https://intranet.example',
    })
    expect(shown.valuesSchema).toEqual(
      JSON.parse(JSON.stringify(valuesSchema).replaceAll(JSON.stringify(SENTINEL), JSON.stringify(MASK))),
    )
  })

  it('shows a member what the form shows', () => {
    const shown = shownTemplate(template, { admin: false })
    expectNoSentinel(shown)
    expect(shown.defaultValues).toEqual({ user: { size: 's' } })
    expect(Object.keys(shown.valuesSchema?.properties ?? {})).toEqual(['user'])
    expect(JSON.stringify(shown)).not.toMatch(/mail|intranet|gold/)
    expect(shownTemplate({ ...template, valuesSchema: null }, { admin: false })).toEqual({
      overrides: null,
      defaultValues: {},
      valuesSchema: null,
    })
  })
})

describe('shownValues', () => {
  const ingress = { host: 'a.example', className: 'nginx', tls: 'internal' }
  const values = { ...template.defaultValues, user: { size: 'm', plan: 'gold' }, ingress }

  it('shows a member the own part and what the platform sets', () => {
    expect(shownValues(template, values, { admin: false })).toEqual({
      user: { size: 'm' },
      ingress: { host: 'a.example', className: 'nginx' },
    })
    expect(shownValues(template, values, { admin: true })).toEqual(values)
  })
})

it('of settings at the root a member sees those, and where the platform writes', () => {
  const layout = { ...DEFAULT_LAYOUT, userValues: 'root', domainPaths: ['/host'], ingressClassPaths: [] } as const
  const root = {
    ...template,
    layout,
    valuesSchema: { properties: { title: { type: 'string' }, host: { type: 'string' } } },
  }
  const values = {
    title: 'x',
    host: 'a.example',
    smtp: { password: SENTINEL },
    caelus: { namespace: 'n', plan: { a: 1 } },
  }
  expect(shownValues(root, values, { admin: false })).toEqual({
    title: 'x',
    host: 'a.example',
    caelus: { namespace: 'n' },
  })
})
