import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { serverAccount, serverFiles, serverHome, temporaryHome } from './files.ts'
import { endProcess, freePort, guardPath, identify, launch, lock, LockHeld, releasePath } from '../process/index.ts'
import type { Account, Child } from '../process/index.ts'

export { removePostgresData } from './files.ts'

export interface PostgresOptions {
  /** Kept between starts. Absent: a temporary directory that goes with the server. */
  readonly dataDir?: string
  /** @default any free port */
  readonly port?: number
  /** Survive a crash of the machine; costs a disk flush per commit. @default true with `dataDir`, false without */
  readonly durable?: boolean
}

export interface Postgres {
  /** Superuser, database `postgres`, on the loopback interface, with a password. */
  readonly url: string
  readonly port: number
  readonly pid: number
  /** Disconnects clients, writes everything to disk, ends. Removes the data if it is temporary. */
  stop(): Promise<void>
}

/**
 * Starts the PostgreSQL server that came with the package. It ends with this process, also if that is killed.
 *
 * One process at a time may use a `dataDir`; a server left there by one that died is stopped first.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const account = serverAccount()
  const files = await serverFiles(account)
  const home = options.dataDir === undefined ? await temporaryHome(account) : await serverHome(account, options.dataDir)
  if (options.dataDir === undefined) guardPath(home)
  const discard = async (): Promise<void> => {
    if (options.dataDir !== undefined) return
    await rm(home, { recursive: true, force: true })
    releasePath(home)
  }
  const unlock = await lock(join(home, 'owner.lock')).catch((cause: unknown) => {
    const holder = cause instanceof LockHeld ? ` by process ${cause.holder.pid}; stop it first` : ''
    throw new Error(`failed to start PostgreSQL: ${home} is in use${holder}`, { cause })
  })
  try {
    const data = join(home, 'data')
    const password = await initialize(files, home, account)
    await endLeftover(data)
    const { child, port } = await listen({ ...options, files, home, data, account })
    return {
      url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
      port,
      pid: child.identity.pid,
      async stop() {
        await child.stop(20_000)
        await unlock()
        await discard()
      },
    }
  } catch (error) {
    await unlock()
    await discard()
    throw error
  }
}

/** Makes the data directory unless it is there, and answers the superuser's password. */
async function initialize(files: string, home: string, account: Account): Promise<string> {
  const passwordFile = join(home, 'password')
  const data = join(home, 'data')
  const complete = await readFile(join(home, 'initialized'), 'utf8').catch(() => undefined)
  if (complete !== undefined) return await readFile(passwordFile, 'utf8')
  const password = randomBytes(24).toString('base64url')
  await writeFile(passwordFile, password, { mode: 0o600 })
  await rm(data, { recursive: true, force: true })
  await mkdir(data, { mode: 0o700 })
  await chown(data, account.uid, account.gid)
  await chown(passwordFile, account.uid, account.gid)
  const args = [
    '--pgdata',
    data,
    '--username',
    'postgres',
    '--pwfile',
    passwordFile,
    '--auth',
    'scram-sha-256',
    '--encoding',
    'UTF8',
  ]
  await promisify(execFile)(
    join(files, 'bin/initdb'),
    [...args, '--locale-provider', 'builtin', '--locale', 'C.UTF-8', '--no-sync', '--no-instructions'],
    {
      cwd: home,
      uid: account.uid,
      gid: account.gid,
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    },
  ).catch((cause: unknown) => {
    throw new Error(`failed to create a PostgreSQL data directory in ${data}`, { cause })
  })
  await writeFile(join(home, 'initialized'), `${new Date().toISOString()}\n`)
  return password
}

/**
 * Ends the server that a process left behind when it died, and removes a lock file that names an unrelated process:
 * PostgreSQL would take any process of the same user for its server.
 */
async function endLeftover(data: string): Promise<void> {
  const file = join(data, 'postmaster.pid')
  const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0])
  if (!Number.isInteger(pid) || pid <= 0) return
  const found = identify(pid)
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  if (found !== undefined && commandLine.split('\0').includes(data))
    await endProcess(found, { signal: 'SIGINT', graceMs: 20_000 })
  await rm(file, { force: true })
}

interface Listen extends PostgresOptions {
  readonly files: string
  readonly home: string
  readonly data: string
  readonly account: Account
}

const ATTEMPTS = 5

async function listen(options: Listen): Promise<{ child: Child; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort())
    const logFile = join(options.home, 'server.log')
    await rm(logFile, { force: true })
    const child = await launch({
      name: 'PostgreSQL',
      command: join(options.files, 'bin/postgres'),
      args: ['-D', options.data, ...settings(options, port).flatMap((setting) => ['-c', setting])],
      cwd: options.home,
      logFile,
      env: { LC_ALL: 'C' },
      uid: options.account.uid,
      gid: options.account.gid,
      stopSignal: 'SIGINT',
    })
    if (await becameReady(child, options.data)) return { child, port }
    const obituary = await child.obituary()
    await child.stop()
    const portTaken = obituary.message.includes('Address already in use')
    if (!portTaken || options.port !== undefined || attempt === ATTEMPTS) {
      throw new Error(`failed to start PostgreSQL on port ${port}`, { cause: obituary })
    }
  }
}

function settings(options: Listen, port: number): string[] {
  const durable = options.durable ?? options.dataDir !== undefined
  return [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    'unix_socket_directories=',
    'max_connections=200',
    'timezone=UTC',
    'log_timezone=UTC',
    ...(durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']),
  ]
}

/** The server writes its own state into the last line of its lock file. */
async function becameReady(child: Child, data: string): Promise<boolean> {
  for (const end = Date.now() + 60_000; Date.now() < end; await delay(10)) {
    if (child.ended() !== undefined) return false
    const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')
    const lines = text.split('\n')
    if (lines[0] === String(child.identity.pid) && lines[7]?.trim() === 'ready') return true
  }
  return false
}
