import { InvalidArgumentError, Option } from 'commander'
import type { NodePoolDraft } from './cluster.ts'

const POOL = /^([a-z][-a-z0-9]*)=([^:\s]+):(\d{1,5})-(\d{1,5})$/

function poolIn(written: string): NodePoolDraft {
  const [, name, machineType, min, max] = POOL.exec(written) ?? []
  if (name === undefined || machineType === undefined) {
    throw new InvalidArgumentError('It must be name=machine-type:min-max, such as default=local:1-3.')
  }
  return { name, machine_type: machineType, autoscale_min: Number(min), autoscale_max: Number(max) }
}

/** May be repeated. */
export const nodePoolOption = (what: string): Option =>
  new Option(
    '--node-pool <name=machine-type:min-max>',
    `${what}, such as default=local:1-3; may be repeated`,
  ).argParser((written: string, before: readonly NodePoolDraft[] | undefined) => [...(before ?? []), poolIn(written)])

/** A whole number, 0 among them. */
export function count(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 0.')
  return Number(text)
}
