import { Anchor, Breadcrumbs, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { IconZoomQuestion } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { statusOf } from '../../lib/api/problem.ts'
import { Empty } from '../feedback/Empty.tsx'
import { Loaded } from '../feedback/Loaded.tsx'
import { Page } from '../page/Page.tsx'
import { Panel } from './Panel.tsx'

interface DetailPageProps<T> {
  /** The list this object belongs to. */
  readonly list: { readonly label: string; readonly href: string }
  readonly kind: string
  readonly name: string
  readonly query: UseQueryResult<T>
  readonly renderStatus?: (data: T) => ReactNode
  readonly renderActions?: (data: T) => ReactNode
  readonly children: (data: T) => ReactNode
}

/** The page of one object: the way back, its name and status, what can be done, and its parts. */
export function DetailPage<T>({ list, kind, name, query, renderStatus, renderActions, children }: DetailPageProps<T>) {
  const gone = statusOf(query.error) === 404
  const data = gone ? undefined : query.data
  return (
    <Page
      title={name}
      above={
        <Breadcrumbs separator="›">
          <Anchor component={Link} href={list.href} size="sm">
            {list.label}
          </Anchor>
          <Text size="sm" c="dimmed">
            {kind}
          </Text>
        </Breadcrumbs>
      }
      aside={data !== undefined && renderStatus?.(data)}
      actions={data !== undefined && renderActions?.(data)}
    >
      {gone ? (
        <Panel>
          <Empty icon={<IconZoomQuestion size={22} aria-hidden />} title={`There is no ${kind} called ${name}`}>
            It was deleted, or you may not see it. <Link href={list.href}>Back to {list.label}</Link>
          </Empty>
        </Panel>
      ) : (
        <Loaded query={query}>{children}</Loaded>
      )}
    </Page>
  )
}
