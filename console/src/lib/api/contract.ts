/** The one door through which the console sees the types that travel. Erased at build time. */
export type * from '../../../../src/api/contract/index.ts'
