export type * from './port.ts'
export type { Room } from './room.ts'
