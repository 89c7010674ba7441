import { targetOf, type StepHandler } from './step.ts'

/**
 * Rewrites a record that a dead worker left pending as failed, which is what lets the next upgrade in. Objects stay.
 *
 * Safe because only the holder of the fence can write here: the Helm that began it can no longer go on.
 */
export const unlockRelease: StepHandler<'unlockRelease'> = async ({ revision }, context) => {
  await context.parts.releases.markFailed(targetOf(context), revision, context.signal)
  return { reason: 'ReleaseUnlocked', note: `revision ${revision} was left unfinished and is marked as failed` }
}
