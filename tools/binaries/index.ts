export { cacheDirectory, isExecutable } from './cache.ts'
export type { BinaryName } from './catalogue.ts'
export { obtainBinaries } from './obtain.ts'
