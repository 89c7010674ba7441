import { InvalidArgumentError, Option, type Command } from 'commander'
import { raise } from '../../failures.ts'
import type { MaintenanceWindow } from './cluster.ts'

export interface MaintenanceOptions {
  /** False: `--no-maintenance`. */
  readonly maintenance?: Pick<MaintenanceWindow, 'begin' | 'end'> | false
  readonly autoUpdate?: readonly string[]
}

const UPDATES = ['kubernetes', 'machine-image'] as const

function windowIn(written: string): Pick<MaintenanceWindow, 'begin' | 'end'> {
  const [begin, end, ...more] = written.split(',').map((part) => part.trim())
  if (begin === undefined || end === undefined || more.length > 0) {
    throw new InvalidArgumentError('It must be begin,end with their zone, such as 220000+0100,230000+0100.')
  }
  return { begin, end }
}

function updatesIn(written: string): readonly string[] {
  const parts = written === 'none' ? [] : written.split(',').map((part) => part.trim())
  if (parts.every((part) => UPDATES.some((update) => update === part))) return parts
  throw new InvalidArgumentError(`It must be some of ${UPDATES.join(',')}, or none.`)
}

export const withMaintenance = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--maintenance <begin,end>',
        'when Gardener may change it by itself, such as 220000+0100,230000+0100',
      ).argParser(windowIn),
    )
    .addOption(
      new Option(
        '--auto-update <what>',
        'what Gardener may update then: kubernetes,machine-image or none; without it, both',
      ).argParser(updatesIn),
    )

/** Nothing if nothing was said. `present`: what stays where only the other option was given. */
export function maintenanceIn(
  { maintenance, autoUpdate }: MaintenanceOptions,
  present: MaintenanceWindow | null = null,
): { readonly maintenance?: MaintenanceWindow | null } {
  if (autoUpdate !== undefined && (maintenance === false || (maintenance === undefined && present === null)))
    throw raise.InputUnreadable('--auto-update needs --maintenance: the cluster has no time of maintenance of its own')
  if (maintenance === false) return { maintenance: null }
  if (maintenance === undefined && autoUpdate === undefined) return {}
  const { begin, end } = maintenance ?? (present as MaintenanceWindow)
  const isUpdated = (update: (typeof UPDATES)[number], before: boolean | undefined): boolean =>
    autoUpdate?.includes(update) ?? before ?? true
  return {
    maintenance: {
      begin,
      end,
      update_kubernetes: isUpdated('kubernetes', present?.update_kubernetes),
      update_machine_image: isUpdated('machine-image', present?.update_machine_image),
    },
  }
}
