import { describe, expect, test } from 'vitest'
import { projectName, projectOfNamespace, shootName, workerName } from './names.ts'

const ORGANIZATION = '0190aaaa-0000-7000-8000-000000000001'
const CLUSTER = '0190aaaa-0000-7000-8000-0000000000c1'

test('the name of a project depends on the organization alone, and Gardener accepts it', () => {
  expect(projectName(ORGANIZATION)).toBe(projectName(ORGANIZATION))
  expect(projectName(ORGANIZATION)).not.toBe(projectName(CLUSTER))
  expect(projectName(ORGANIZATION)).toMatch(/^[a-z][a-z0-9]{9}$/)
})

test.each([
  ['garden-fundament', 'fundament'],
  ['garden-org1abcd12', 'org1abcd12'],
  ['shoots', 'shoots'],
])('the namespace %s belongs to the project %s', (namespace, project) => {
  expect(projectOfNamespace(namespace)).toBe(project)
})

describe('the name of a Shoot', () => {
  test('depends on the id alone, so that a retry makes no twin', () => {
    expect(shootName(CLUSTER, 'p123456789', 21)).toBe(shootName(CLUSTER, 'p123456789', 21))
    expect(shootName(CLUSTER, 'p123456789', 21)).not.toBe(shootName(ORGANIZATION, 'p123456789', 21))
  })

  test.each([
    ['p123456789', 21, 11],
    ['fundament', 21, 11],
    ['averylongname', 21, 8],
    ['p123456789', 17, 7],
    ['p123456789', 63, 11],
  ])('beside the project %s within %i characters has %i', (project, budget, length) => {
    const name = shootName(CLUSTER, project, budget)
    expect(name).toMatch(/^[a-z][a-z0-9]+$/)
    expect(name).toHaveLength(length)
    expect(project.length + name.length).toBeLessThanOrEqual(budget)
  })

  test.each([16, 10, 0])('is refused within %i characters, by the name of the setting', (budget) => {
    expect(() => shootName(CLUSTER, 'p123456789', budget)).toThrow(
      expect.objectContaining({
        failure: expect.objectContaining({
          code: 'GardenerMisconfigured',
          message: expect.stringContaining('GARDENER_MAX_SHOOT_NAME_LEN'),
        }) as unknown,
      }),
    )
  })
})

describe('the name of a worker group', () => {
  test.each(['default', 'gpu-1', 'fifteencharslng'])('is the name of the pool %s', (pool) => {
    expect(workerName(pool)).toBe(pool)
  })

  test.each(['sixteencharslong', 'Große Knoten', '-', 'a'.repeat(200)])('is a short one for the pool %s', (pool) => {
    expect(workerName(pool)).toMatch(/^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/)
    expect(workerName(pool).length).toBeLessThanOrEqual(15)
    expect(workerName(pool)).not.toBe(workerName(`${pool}b`))
  })
})
