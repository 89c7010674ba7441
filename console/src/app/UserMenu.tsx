import { Avatar, Menu, Text, UnstyledButton } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { IconKey, IconLogout } from '@tabler/icons-react'
import { Link } from 'wouter'
import { useApi } from '../lib/api/context.tsx'
import type { Me } from '../lib/api/contract.ts'
import { endSession } from '../lib/session.ts'
import classes from './Header.module.css'

const SIGNED_IN_BY: Record<Me['auth'], string> = {
  dev: 'development login',
  oidc: 'single sign-on',
  token: 'API token',
}

export function UserMenu({ me }: { readonly me: Me }) {
  const api = useApi()
  const queries = useQueryClient()
  const logout = useMutation({
    mutationFn: () => api.post('/logout'),
    onSettled: () => endSession(queries),
  })
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton className={classes.user} aria-label={`Account of ${me.email}`}>
          <Avatar size={32} radius="xl" color="sky" name={me.email}>
            {me.email.slice(0, 2).toUpperCase()}
          </Avatar>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)" truncate>
            {me.email}
          </Text>
          {me.role}, {SIGNED_IN_BY[me.auth]}
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item
          component={Link}
          href="/operations/tokens"
          leftSection={<IconKey size={16} stroke={1.6} aria-hidden />}
        >
          API tokens
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} stroke={1.6} aria-hidden />} onClick={() => logout.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
