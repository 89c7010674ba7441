import { Badge } from '@mantine/core'
import type { OrganizationRole } from '../../lib/api/contract.ts'

const COLORS = { owner: 'sky', member: 'gray', viewer: 'gray' } as const

export const RoleBadge = ({ role }: { readonly role: OrganizationRole }) => (
  <Badge variant="light" tt="none" fw={500} color={COLORS[role]}>
    {role}
  </Badge>
)
