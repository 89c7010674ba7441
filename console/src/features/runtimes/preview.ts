import type { RuntimePreviewView } from '../../lib/api/contract.ts'

/** What the template comes to; nothing when it stays. */
export function templateText({ before, after }: RuntimePreviewView['template']): string | undefined {
  if (after === null || before === after) return undefined
  return before === null ? `It runs by template ${after}.` : `Its template changes from ${before} to ${after}.`
}
