import { readFileSync } from 'node:fs'

/** Linux counts CPU time in hundredths of a second here, whatever the kernel's own tick is. */
const TICKS_PER_SECOND = 100

/** Seconds of CPU that this process and its children that ended have used. Undefined: the system does not say. */
export function cpuSeconds(): number | undefined {
  const { user, system } = process.cpuUsage()
  const children = secondsOfChildren()
  return children === undefined ? undefined : (user + system) / 1e6 + children
}

/** cutime and cstime of proc(5): fields 16 and 17, counted behind the program's name, which may contain spaces. */
function secondsOfChildren(): number | undefined {
  if (process.platform !== 'linux') return undefined
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND
}
