import type { MaintenanceWindow } from '../../../lib/api/contract.ts'

/** A maintenance window as a form edits it. */
export interface WindowDraft {
  /** `22:00`, in `zone`. */
  readonly begin: string
  readonly end: string
  /** `+0100` */
  readonly zone: string
  readonly update_kubernetes: boolean
  readonly update_machine_image: boolean
}

const DAY = 24 * 60

const two = (number: number): string => String(number).padStart(2, '0')

/** `+0100` from minutes east of UTC. */
export const zoneOf = (minutes: number): string =>
  `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}${two(Math.abs(minutes) % 60)}`

const minutesOf = (zone: string): number =>
  (zone.startsWith('-') ? -1 : 1) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3, 5)))

/** `UTC+01:00` */
export const zoneText = (zone: string): string => `UTC${zone.slice(0, 3)}:${zone.slice(3)}`

/** Every full hour, and `own` where it is none. */
export function zoneChoices(own: string): readonly { readonly value: string; readonly label: string }[] {
  const hours = Array.from({ length: 27 }, (_, index) => zoneOf((index - 12) * 60))
  return [...new Set([...hours, own])]
    .toSorted((a, b) => minutesOf(a) - minutesOf(b))
    .map((value) => ({ value, label: zoneText(value) }))
}

/** `220000+0100` as the time of day in another zone: `21:00`. */
function timeIn(zone: string, moment: string): string {
  const minutes =
    Number(moment.slice(0, 2)) * 60 + Number(moment.slice(2, 4)) - minutesOf(moment.slice(6)) + minutesOf(zone)
  const ofDay = ((minutes % DAY) + DAY) % DAY
  return `${two(Math.floor(ofDay / 60))}:${two(ofDay % 60)}`
}

export const draftOfWindow = ({ begin, end, ...may }: MaintenanceWindow): WindowDraft => {
  const zone = begin.slice(6)
  return { begin: timeIn(zone, begin), end: timeIn(zone, end), zone, ...may }
}

export const windowOf = ({ begin, end, zone, ...may }: WindowDraft): MaintenanceWindow => ({
  begin: `${begin.replace(':', '')}00${zone}`,
  end: `${end.replace(':', '')}00${zone}`,
  ...may,
})

/** One hour at night where the reader is. */
export const usualWindow = (zone: string): WindowDraft => ({
  begin: '22:00',
  end: '23:00',
  zone,
  update_kubernetes: true,
  update_machine_image: true,
})

/** `22:00–23:00 UTC+01:00` */
export function windowText(window: MaintenanceWindow): string {
  const { begin, end, zone } = draftOfWindow(window)
  return `${begin}–${end} ${zoneText(zone)}`
}
