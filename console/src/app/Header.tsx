import { ActionIcon, Burger, Group, Text, Tooltip } from '@mantine/core'
import { IconKeyboard } from '@tabler/icons-react'
import { Link } from 'wouter'
import { Logo } from '../components/page/Logo.tsx'
import type { Me } from '../lib/api/contract.ts'
import { ColorSchemeSwitch } from './ColorSchemeSwitch.tsx'
import { ConnectionState } from './ConnectionState.tsx'
import { UserMenu } from './UserMenu.tsx'
import classes from './Header.module.css'

interface HeaderProps {
  readonly me: Me
  readonly menuOpen: boolean
  readonly onMenu: () => void
  readonly onHelp: () => void
}

export function Header({ me, menuOpen, onMenu, onHelp }: HeaderProps) {
  return (
    <Group h="100%" px={{ base: 'sm', sm: 'md' }} justify="space-between" wrap="nowrap">
      <Group gap="sm" wrap="nowrap">
        <Burger
          size="sm"
          hiddenFrom="sm"
          opened={menuOpen}
          onClick={onMenu}
          aria-label={menuOpen ? 'Close the menu' : 'Open the menu'}
        />
        <Link href="/" className={classes.brand} aria-label="Caelus, overview">
          <Logo size={26} />
          <Text span fw={650} size="lg" visibleFrom="xs" className={classes.name}>
            Caelus
          </Text>
        </Link>
      </Group>
      <Group gap="xs" wrap="nowrap">
        <ConnectionState />
        <Tooltip label="Keyboard shortcuts">
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            visibleFrom="sm"
            onClick={onHelp}
            aria-label="Keyboard shortcuts"
          >
            <IconKeyboard size={19} stroke={1.6} aria-hidden />
          </ActionIcon>
        </Tooltip>
        <ColorSchemeSwitch />
        <UserMenu me={me} />
      </Group>
    </Group>
  )
}
