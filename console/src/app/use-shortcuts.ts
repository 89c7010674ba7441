import { useEffect, useMemo } from 'react'
import { useLocation } from 'wouter'
import type { Role } from '../lib/api/contract.ts'
import { isForUs, press } from '../lib/shortcuts.ts'
import type { Pending, Shortcut } from '../lib/shortcuts.ts'
import { placesFor } from './navigation.ts'

/** Listens to the keyboard, and returns what it listens for. */
export function useShortcuts(role: Role, onHelp: () => void): readonly Shortcut[] {
  const [, navigate] = useLocation()
  const shortcuts = useMemo<readonly Shortcut[]>(
    () => [
      ...placesFor(role).flatMap(({ places }) =>
        places.map(({ key, label, path }): Shortcut => ({ keys: ['g', key], label, run: () => navigate(path) })),
      ),
      { keys: ['/'], label: 'Filter the list', run: focusFilter },
      { keys: ['?'], label: 'This help', run: onHelp },
    ],
    [navigate, onHelp, role],
  )
  useEffect(() => {
    let pending: Pending | undefined
    const onKey = (event: KeyboardEvent): void => {
      if (!isForUs(event)) return
      const pressed = press(shortcuts, pending, event.key, event.timeStamp)
      pending = pressed.pending
      if (pressed.shortcut === undefined) return
      event.preventDefault()
      pressed.shortcut.run()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [shortcuts])
  return shortcuts
}

const focusFilter = (): void => document.querySelector<HTMLInputElement>('main input[aria-label^="Filter"]')?.focus()
