export { driftScan, driftWake, scanPages, type DriftScanOptions, type ScannedKey } from './drift-scan.ts'
export { openRowQueue, type RowQueue, type RowQueueOptions } from './row-queue.ts'
export { rowWorker, type RowWorkerOptions } from './row-worker.ts'
