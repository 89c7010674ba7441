import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Remote } from '../../cli/index.ts'

/*
 * Apart from local-login.ts, which imports the server: every remote command reads this file.
 */

export const loginFileIn = (dataDir: string): string => join(dataDir, 'login.json')

/** The server that `caelus up` started with this data directory, and a token for it. */
export async function readLocalLogin(dataDir: string): Promise<Remote | undefined> {
  const text = await readFile(loginFileIn(dataDir), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as Remote)
}
