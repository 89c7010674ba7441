/** Keys that do something when pressed one after the other, outside of text fields. */
export interface Shortcut {
  readonly keys: readonly [string] | readonly [string, string]
  readonly label: string
  readonly run: () => void
}

/** The first key of a pair, waiting for its second. */
export interface Pending {
  readonly key: string
  readonly at: number
}

/** Longer pauses mean that two keys were two intentions. */
const PAIR_MS = 1_200

export interface Pressed {
  readonly pending: Pending | undefined
  readonly shortcut: Shortcut | undefined
}

/** What a key press means, given what was pressed before. Pure; the caller runs the shortcut. */
export function press(shortcuts: readonly Shortcut[], pending: Pending | undefined, key: string, now: number): Pressed {
  const first = pending !== undefined && now - pending.at <= PAIR_MS ? pending.key : undefined
  const pair = first === undefined ? undefined : shortcuts.find(({ keys }) => keys[0] === first && keys[1] === key)
  if (pair) return { pending: undefined, shortcut: pair }
  const single = shortcuts.find(({ keys }) => keys.length === 1 && keys[0] === key)
  if (single) return { pending: undefined, shortcut: single }
  const opens = shortcuts.some(({ keys }) => keys.length === 2 && keys[0] === key)
  return { pending: opens ? { key, at: now } : undefined, shortcut: undefined }
}

/** Typing text and browser combinations are none of our business. */
export function isForUs(
  event: Pick<KeyboardEvent, 'ctrlKey' | 'metaKey' | 'altKey' | 'target' | 'defaultPrevented'>,
): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false
  return !(
    event.target instanceof HTMLElement &&
    event.target.closest('input, textarea, select, [contenteditable="true"], [role="dialog"]')
  )
}
