import { Kbd, Modal } from '@mantine/core'
import type { Shortcut } from '../lib/shortcuts.ts'
import classes from './ShortcutHelp.module.css'

interface ShortcutHelpProps {
  readonly onClose: () => void
  readonly shortcuts: readonly Shortcut[]
}

export function ShortcutHelp({ onClose, shortcuts }: ShortcutHelpProps) {
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" closeButtonProps={{ 'aria-label': 'Close' }}>
      <dl className={classes.list}>
        {shortcuts.map(({ keys, label }) => (
          <div key={keys.join(' ')} className={classes.entry}>
            <dt>{label}</dt>
            <dd>
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Modal>
  )
}
