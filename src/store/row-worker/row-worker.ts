import { controller, type Clock, type ControllerOptions, type Queue, type Service } from '../../kernel/index.ts'
import { driftScan, type DriftScanOptions } from './drift-scan.ts'

export interface RowWorkerOptions extends Omit<ControllerOptions, 'queue' | 'worker' | 'clock'> {
  /** Holds the keys of rows. Any number of workers may share it. */
  readonly queue: Queue
  /** Identifies this process: the pod's name. Operators see it as the holder of a key. */
  readonly instance: string
  readonly clock: Clock
  readonly drift: Omit<DriftScanOptions, 'name' | 'queue' | 'clock'>
}

/** The services that reconcile rows, in the order to start them: the loop, and the scan that wakes every row. */
export function rowWorker({ instance, drift, ...loop }: RowWorkerOptions): readonly Service[] {
  const { name, queue, clock } = loop
  return [controller({ ...loop, worker: instance }), driftScan({ ...drift, name, queue, clock })]
}
