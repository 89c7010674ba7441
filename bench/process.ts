import { spawn, type ChildProcess } from 'node:child_process'
import { createWriteStream, readFileSync } from 'node:fs'
import { createInterface, type Interface } from 'node:readline'

/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100

/** Processor seconds that `pid` has used by itself so far. */
export function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Processor seconds of the children that `pid` has seen the end of, and of theirs. */
export function childCpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND
}

function peakRssMiBOf(pid: number): number {
  const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1] ?? 0) / 1024
}

/** A program under measurement. Its error output goes to a file, its standard output is read line by line. */
export class Measured {
  readonly pid: number
  readonly #child: ChildProcess
  readonly #lines: Interface

  constructor(command: readonly string[], env: Readonly<Record<string, string>>, logFile: string) {
    const [program = '', ...args] = command
    this.#child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    if (this.#child.pid === undefined || !this.#child.stdout) throw new Error(`failed to start ${program}`)
    this.pid = this.#child.pid
    this.#child.stderr?.pipe(createWriteStream(logFile))
    this.#lines = createInterface({ input: this.#child.stdout })
    this.#child.once('exit', (code, signal) => {
      if (!this.#stopping) console.error(`${program} ended with ${code ?? signal}; see ${logFile}`)
    })
  }

  #stopping = false

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  get cpuSeconds(): number {
    return cpuSecondsOf(this.pid)
  }

  get peakRssMiB(): number {
    return peakRssMiBOf(this.pid)
  }

  onLine(listen: (line: string) => void): void {
    this.#lines.on('line', listen)
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  /** The next line of standard output that starts with `prefix`. */
  line(prefix: string, timeoutMs: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no line "${prefix}" within ${timeoutMs} ms`)), timeoutMs)
      const onLine = (line: string): void => {
        if (!line.startsWith(prefix)) return
        clearTimeout(timer)
        this.#lines.off('line', onLine)
        resolve(line)
      }
      this.#lines.on('line', onLine)
    })
  }

  async stop(): Promise<void> {
    if (!this.isAlive) return
    this.#stopping = true
    const ended = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()))
    this.#child.kill('SIGTERM')
    const hard = setTimeout(() => this.#child.kill('SIGKILL'), 10_000)
    await ended
    clearTimeout(hard)
  }
}
