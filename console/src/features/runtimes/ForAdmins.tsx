import { IconLock } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Empty } from '../../components/feedback/Empty.tsx'
import { Panel } from '../../components/detail/Panel.tsx'
import { pages } from './paths.ts'

/** A page that changes something. The API has the last word; this spares others a form that would be refused. */
export function ForAdmins({ isAdmin, children }: { readonly isAdmin: boolean; readonly children: ReactNode }) {
  if (isAdmin) return children
  return (
    <Panel>
      <Empty icon={<IconLock size={22} aria-hidden />} title="Only admins change runtimes">
        You may look at all of them. <Link href={pages.list}>Back to the runtimes</Link>
      </Empty>
    </Panel>
  )
}
