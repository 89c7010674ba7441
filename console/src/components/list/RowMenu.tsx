import { ActionIcon, Menu } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'

interface RowAction {
  readonly label: string
  readonly onClick: () => void
  /** It takes something away. */
  readonly isDangerous?: boolean
}

export interface RowMenuProps {
  /** Which row, for those who do not see where the button stands. */
  readonly name: string
  readonly actions: readonly RowAction[]
}

/** What can be done with one row of a list, behind one button at its end. */
export function RowMenu({ name, actions }: RowMenuProps) {
  if (actions.length === 0) return null
  return (
    // Inside a row that opens: a click here is meant for the menu.
    <span onClick={(event) => event.stopPropagation()} role="presentation">
      <Menu position="bottom-end" withinPortal shadow="md">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name}`}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {actions.map(({ label, onClick, isDangerous = false }) => (
            <Menu.Item key={label} onClick={onClick} {...(isDangerous && { color: 'red' })}>
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </span>
  )
}
