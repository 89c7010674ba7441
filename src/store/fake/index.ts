export { Notices } from './notices.ts'
export { FakePostgresQueue } from './queue.ts'
export { Table, type RowChange } from './table.ts'
