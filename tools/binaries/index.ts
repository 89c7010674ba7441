export { cacheDirectory } from './cache.ts'
export type { BinaryName } from './catalogue.ts'
export { obtainBinaries } from './obtain.ts'
