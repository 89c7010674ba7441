import { Age } from '../feedback/Age.tsx'
import type { ListColumn } from './ResourceTable.tsx'
import { RowMenu } from './RowMenu.tsx'
import type { RowMenuProps } from './RowMenu.tsx'

/** How old a row is. Ascending means youngest first, as the numbers are read and not as the dates behind them. */
export const ageColumn = <T,>(since: (row: T) => string): ListColumn<T> => ({
  id: 'age',
  label: 'Age',
  value: (row) => -Date.parse(since(row)),
  render: (row) => <Age since={since(row)} />,
  width: 90,
})

/** What can be done with a row, at its end. A row without actions has no menu. */
export const menuColumn = <T,>(menuOf: (row: T) => RowMenuProps): ListColumn<T> => ({
  id: 'actions',
  label: 'Action',
  value: () => '',
  sortable: false,
  render: (row) => <RowMenu {...menuOf(row)} />,
  width: 80,
})
