import { Table, UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconChevronUp, IconSelector } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Column, Sort } from '../../lib/rows.ts'
import classes from './ResourceTable.module.css'

export interface ListColumn<T> extends Column<T> {
  /** @default the value as text */
  readonly render?: (row: T) => ReactNode
  readonly width?: number | string
  readonly mono?: boolean
  /** @default true */
  readonly sortable?: boolean
}

interface ResourceTableProps<T> {
  readonly label: string
  readonly rows: readonly T[]
  readonly columns: readonly ListColumn<T>[]
  readonly rowKey: (row: T) => string
  readonly sort?: Sort | undefined
  /** Absent: the order of the rows is a statement of its own. */
  readonly onSort?: (column: string) => void
  readonly onOpen?: (row: T) => void
}

/** On a narrow screen each row becomes a small card, with the column's label beside each value. */
export function ResourceTable<T>({ label, rows, columns, rowKey, sort, onSort, onOpen }: ResourceTableProps<T>) {
  return (
    <Table className={classes.table} layout="fixed" aria-label={label} highlightOnHover={onOpen !== undefined}>
      <Table.Thead>
        <Table.Tr>
          {columns.map((column) => (
            <Table.Th key={column.id} w={column.width} aria-sort={ariaSort(sort, column.id)}>
              {onSort && column.sortable !== false ? (
                <UnstyledButton className={classes.sort} onClick={() => onSort(column.id)}>
                  {column.label} <SortIcon sort={sort} column={column.id} />
                </UnstyledButton>
              ) : (
                column.label
              )}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={rowKey(row)} className={onOpen && classes.open} onClick={onOpen && (() => onOpen(row))}>
            {columns.map((column, at) => (
              <Table.Td key={column.id} data-label={column.label} className={column.mono ? classes.mono : undefined}>
                {at === 0 && onOpen ? (
                  <UnstyledButton className={classes.opener}>{cell(column, row)}</UnstyledButton>
                ) : (
                  cell(column, row)
                )}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

const cell = <T,>(column: ListColumn<T>, row: T): ReactNode => {
  if (column.render) return column.render(row)
  const value = column.value(row)
  return value === null || value === undefined || value === '' ? '—' : String(value)
}

function ariaSort(sort: Sort | undefined, column: string): 'ascending' | 'descending' | 'none' {
  if (sort?.column !== column) return 'none'
  return sort.descending ? 'descending' : 'ascending'
}

function SortIcon({ sort, column }: { readonly sort: Sort | undefined; readonly column: string }) {
  if (sort?.column !== column) return <IconSelector size={14} className={classes.unsorted} aria-hidden />
  return sort.descending ? <IconChevronDown size={14} aria-hidden /> : <IconChevronUp size={14} aria-hidden />
}
