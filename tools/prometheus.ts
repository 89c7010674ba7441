import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isExecutable } from './binaries/index.ts'
import { unpacked } from './debian.ts'
import { freePort, guardPath, launch, releasePath, type Child } from './process/index.ts'
import type { OnProgress } from './progress.ts'

export interface PrometheusOptions {
  /** What to scrape, as `host:port`; each is one job with its own name. */
  readonly targets: Readonly<Record<string, string>>
  /** @default 250 */
  readonly scrapeIntervalMs?: number
  readonly onProgress?: OnProgress
}

export interface Prometheus extends AsyncDisposable {
  /** `http://127.0.0.1:9090` */
  readonly url: string
  stop(): Promise<void>
}

const ATTEMPTS = 5
const READY_MS = 60_000

/** Starts an empty Prometheus on a loopback port. It ends with this process, also if that is killed. */
export async function startPrometheus(options: PrometheusOptions): Promise<Prometheus> {
  const command = await obtainPrometheus(options.onProgress)
  const home = await mkdtemp(join(tmpdir(), 'caelus-prometheus-'))
  guardPath(home)
  const discard = async (): Promise<void> => {
    await rm(home, { recursive: true, force: true })
    releasePath(home)
  }
  try {
    await writeFile(join(home, 'prometheus.json'), JSON.stringify(configuration(options)))
    const { child, url } = await listen(command, home)
    const stop = async (): Promise<void> => {
      await child.stop()
      await discard()
    }
    return { url, stop, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await discard()
    throw error
  }
}

/** The one on the PATH, or Debian's. */
async function obtainPrometheus(onProgress?: OnProgress): Promise<string> {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  for (const folder of folders) if (await isExecutable(join(folder, 'prometheus'))) return join(folder, 'prometheus')
  return join(await unpacked('prometheus', ['prometheus'], { ...(onProgress && { onProgress }) }), 'usr/bin/prometheus')
}

/** JSON is YAML. */
const configuration = ({ targets, scrapeIntervalMs = 250 }: PrometheusOptions) => ({
  global: { scrape_interval: `${scrapeIntervalMs}ms`, scrape_timeout: `${scrapeIntervalMs}ms` },
  scrape_configs: Object.entries(targets).map(([job_name, target]) => ({
    job_name,
    // The target exports metrics for pods: keep its labels.
    honor_labels: true,
    static_configs: [{ targets: [target] }],
  })),
})

async function listen(command: string, home: string): Promise<{ child: Child; url: string }> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const child = await launch({
      name: 'Prometheus',
      command,
      args: [
        `--config.file=${join(home, 'prometheus.json')}`,
        `--storage.tsdb.path=${join(home, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--query.lookback-delta=5m',
      ],
      cwd: home,
      logFile: join(home, 'prometheus.log'),
    })
    if (await becameReady(child, url)) return { child, url }
    const obituary = await child.obituary()
    await child.stop()
    const isTaken = obituary.message.includes('address already in use')
    if (!isTaken || attempt === ATTEMPTS)
      throw new Error(`failed to start Prometheus on port ${port}`, { cause: obituary })
  }
}

async function becameReady(child: Child, url: string): Promise<boolean> {
  for (const end = Date.now() + READY_MS; Date.now() < end; await delay(20)) {
    if (child.ended() !== undefined) return false
    const answer = await fetch(`${url}/-/ready`).catch(() => undefined)
    if (answer?.ok === true) return true
  }
  return false
}
