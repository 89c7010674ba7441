import { expect, test } from 'vitest'
import { APPS } from '../../config/apps.ts'
import { readConfig, SERVER } from '../../config/index.ts'
import { domainRules } from './domain-rules.ts'

const rulesOf = (env: Record<string, string>) => domainRules(readConfig(env, { sections: [APPS, SERVER] }))

test.each([
  ['https://Caelus.example.com/', ['caelus.example.com', 'localhost', 'svc', 'cluster.local']],
  ['http://127.0.0.1:8080', ['localhost', 'svc', 'cluster.local']],
  ['http://localhost:8080', ['localhost', 'svc', 'cluster.local']],
])('with the public URL %s the reserved domains are %j', (CAELUS_PUBLIC_URL, reserved) =>
  expect(rulesOf({ CAELUS_PUBLIC_URL })).toEqual({ reserved, allowed: [] }),
)

test('wildcards and upper case in settings are understood', () =>
  expect(
    rulesOf({ CAELUS_APPS_RESERVED_DOMAINS: '*.Example.com, .corp', CAELUS_APPS_ALLOWED_DOMAINS: 'apps.example.org' }),
  ).toEqual({ reserved: ['example.com', 'corp'], allowed: ['apps.example.org'] }))
