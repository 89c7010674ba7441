import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { domainProblem } from '../console/src/features/apps/domain.ts'
import * as wire from '../src/api/contract/index.ts'
import { WIDGETS } from '../src/domains/apps/schema/form.ts'
import { FINDING_CODES, normaliseDomain } from '../src/domains/apps/index.ts'
import { DEPLOYMENT_STATUSES, JOB_REASONS, JOB_STATUSES } from '../src/domains/apps/types.ts'
import { DIMENSIONS, MODES } from '../src/domains/runtimes/class-runtime.ts'
import { PHASES } from '../src/domains/runtimes/types.ts'
import { describedProgram } from '../tools/generate/reference.ts'

/*
 * What travels imports nothing of ours, and clients import nothing of the domains. So a few words stand in more than
 * one place; here they are held together.
 */

const choicesOf = (command: string, option: string): readonly string[] | undefined =>
  describedProgram()
    .commands.find((one) => one.name() === command)
    ?.options.find(({ long }) => long === option)?.argChoices

describe('what travels knows the words of the domain', () => {
  test.each([
    ['widgets', wire.WIDGETS, WIDGETS],
    ['findings about charts', wire.FINDING_CODES, FINDING_CODES],
    ['statuses of deployments', wire.DEPLOYMENT_STATUSES, DEPLOYMENT_STATUSES],
    ['reasons of jobs', wire.JOB_REASONS, JOB_REASONS],
    ['statuses of jobs', wire.JOB_STATUSES, JOB_STATUSES],
    ['phases of runtimes', wire.RUNTIME_PHASES, PHASES],
    ['modes of enforcement', wire.RUNTIME_MODES, MODES],
    ['dimensions of recommendations', wire.NFR_DIMENSIONS, DIMENSIONS],
  ])('%s', (_, travelling, own) => expect(travelling).toEqual(own))
})

describe('commands take the words of what travels', () => {
  test.each([
    ['list-deployments', '--status', wire.DEPLOYMENT_STATUSES],
    ['list-reconcile-jobs', '--status', wire.JOB_STATUSES],
    ['enqueue-reconcile', '--reason', wire.JOB_REASONS],
    ['list-runtimes', '--phase', wire.RUNTIME_PHASES],
    ['create-token', '--role', wire.ROLES],
    ['invite', '--role', wire.ORGANIZATION_ROLES],
    ['list-decisions', '--outcome', wire.RUN_OUTCOMES],
  ])('%s %s', (command, option, words) => expect(new Set(choicesOf(command, option))).toEqual(new Set(words)))
})

test('the console refuses the domains that the API refuses, in the same words', () => {
  const pieces = ['a', 'Z', '1', '-', '.', '..', '_', ' ', '*', ':', '/', '@', 'ö', 'shop', 'a'.repeat(64), '.example']
  const typed = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((some) => some.join(''))
  fc.assert(
    fc.property(fc.oneof(typed, fc.string()), (text) => {
      const [console, api] = [domainProblem(text), normaliseDomain(text).problem?.message]
      // Only the API can say how a domain is written in ASCII.
      expect(console).toBe(api?.replace(/(?<=^must be written in ASCII): .*$/, ''))
    }),
    { numRuns: 2_000 },
  )
})
