import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

export interface Account {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

const parse = (line: string): Account | undefined => {
  const [name = '', , uid = '', gid = ''] = line.split(':')
  return name === '' || uid === '' ? undefined : { name, uid: Number(uid), gid: Number(gid) }
}

/** The first of `names` that exists on this machine. */
export function accountNamed(...names: readonly string[]): Account | undefined {
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n').map(parse)
  return names.map((name) => accounts.find((account) => account?.name === name)).find((found) => found !== undefined)
}

/** Whether the file modes let `account` read and enter `directory`. */
export function canEnter(account: Account, directory: string): boolean {
  for (let path = directory; ; path = dirname(path)) {
    const { mode, uid, gid } = statSync(path)
    const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0
    const wanted = path === directory ? 0o5 : 0o1
    if (((mode >> shift) & wanted) !== wanted) return false
    if (path === dirname(path)) return true
  }
}
