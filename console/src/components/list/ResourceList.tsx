import { Button, CloseButton, Group, Text, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useMemo } from 'react'
import type { ReactNode } from 'react'
import { useAddress } from '../../lib/address.ts'
import { useResourcePages } from '../../lib/api/queries.ts'
import type { ListFilter } from '../../lib/api/queries.ts'
import { filterRows, nextSort, sortFrom, sortRows, sortText } from '../../lib/rows.ts'
import { Empty } from '../feedback/Empty.tsx'
import { LinesSkeleton, Loaded } from '../feedback/Loaded.tsx'
import { Panel } from '../detail/Panel.tsx'
import { ResourceTable } from './ResourceTable.tsx'
import type { ListColumn } from './ResourceTable.tsx'
import { ShowMore } from './ShowMore.tsx'
import classes from './ResourceList.module.css'

interface ResourceListProps<T> {
  /** What it is a list of, in lower case and plural: `tokens`. */
  readonly noun: string
  /** The stream's word for it; a change of this topic reads the list again. */
  readonly topic: string
  readonly path: string
  /** What the API is asked for; what is typed filters the rows that were read. */
  readonly wanted?: ListFilter
  readonly columns: readonly ListColumn<T>[]
  readonly rowKey: (row: T) => string
  /** Opens a row, by mouse and by keyboard. */
  readonly onOpen?: (row: T) => void
  /** Shown when the API has none, as opposed to none that match the filter. */
  readonly empty: ReactNode
  /** Beside the count, such as the button that makes a new one. */
  readonly actions?: ReactNode
}

/**
 * A list is a description: where it is read from and what its columns are. Sorting and filter live in the address,
 * so that a list can be shared and survives a login.
 */
export function ResourceList<T>(props: ResourceListProps<T>) {
  const { noun, topic, path, wanted, columns, rowKey, onOpen, empty, actions } = props
  const pages = useResourcePages<T>(topic, path, { ...(wanted && { filter: wanted }) })
  const [params, setParam] = useAddress()
  const filter = params.get('q') ?? ''
  const sortParam = params.get('sort')
  const sort = useMemo(() => sortFrom(sortParam), [sortParam])
  const all = useMemo(() => pages.data?.pages.flatMap((page) => page.items) ?? [], [pages.data])
  const rows = useMemo(() => sortRows(filterRows(all, columns, filter), columns, sort), [all, columns, filter, sort])

  return (
    <div className={classes.list}>
      <Group justify="space-between" gap="sm">
        <TextInput
          className={classes.filter}
          aria-label={`Filter ${noun}`}
          placeholder={`Filter ${noun}`}
          leftSection={<IconSearch size={16} aria-hidden />}
          rightSection={
            filter !== '' && <CloseButton size="sm" aria-label="Clear the filter" onClick={() => setParam('q', '')} />
          }
          value={filter}
          onChange={(event) => setParam('q', event.currentTarget.value)}
        />
        <Group gap="md">
          <Text size="sm" c="dimmed" role="status" className="tabular">
            {pages.data && countText(rows.length, all.length, pages.hasNextPage, noun)}
          </Text>
          {actions}
        </Group>
      </Group>
      <Loaded
        query={pages}
        skeleton={
          <Panel>
            <LinesSkeleton lines={6} />
          </Panel>
        }
      >
        {() => (
          <Panel flush>
            {all.length === 0 ? (
              empty
            ) : rows.length === 0 ? (
              <Empty
                title={`No ${noun} match “${filter}”`}
                action={
                  <Button size="xs" variant="default" onClick={() => setParam('q', '')}>
                    Clear the filter
                  </Button>
                }
              />
            ) : (
              <ResourceTable
                label={noun}
                rows={rows}
                columns={columns}
                rowKey={rowKey}
                sort={sort}
                onSort={(column) => setParam('sort', sortText(nextSort(sort, column)))}
                {...(onOpen && { onOpen })}
              />
            )}
          </Panel>
        )}
      </Loaded>
      <ShowMore pages={pages} />
    </div>
  )
}

/** `3 of 12 tokens`; with a plus while more pages exist that were not read yet. */
export const countText = (shown: number, all: number, more: boolean, noun: string): string =>
  `${shown === all ? '' : `${shown} of `}${all}${more ? '+' : ''} ${all === 1 ? noun.replace(/s$/, '') : noun}`
