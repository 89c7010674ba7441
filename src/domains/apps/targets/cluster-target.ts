import { aborted, answerWithin, sleep, startAll, type Clock, type Service } from '../../../kernel/index.ts'
import { renewedConfig, type EndingKubeconfig, type KubeConfig } from '../../../kube/index.ts'
import { raise } from '../failures.ts'
import { awayOf, ClusterAway, waiting } from './away.ts'
import { KeptKubeconfig } from './kept-kubeconfig.ts'
import type { ClusterAccess, OpenCluster, Opened } from './port.ts'

export interface ClusterTargetDeps<T> {
  readonly access: ClusterAccess
  readonly open: OpenCluster<T>
  readonly clock: Clock
  /** A cluster cannot be used, or can be used again. @default nobody is told */
  readonly onChange?: (clusterId: string, away: ClusterAway | undefined) => void
  /** It can be used for the first time, or again after runs were told to wait for longer than usual, or it is gone. @default no listener */
  readonly onRecovered?: (clusterId: string) => void
}

/** The right to use a target until it is disposed of: it is not closed meanwhile. */
export interface Used<T> extends Disposable {
  readonly target: T
  /** Its API server did not answer. Nobody else has to find that out: until it answers again the target is not given out. */
  away(error: unknown): ClusterAway
}

/** Between two attempts to connect, or to hear of an API server that was silent. */
const RETRY_MS = 5_000
/** Between two questions to an API server that answers. */
const CHECK_MS = 30_000
const ANSWER_MS = 10_000
/** An API server that was silent for so long may have moved: access is asked for anew, and then at growing intervals. */
const MOVED_AFTER_MS = 30_000
/** How long a run waits for a cluster that cannot be used. One that cannot be used for long is asked about seldom. */
const WAIT_MS = 5_000
const LONGEST_WAIT_MS = 300_000
const SHORT_AWAY_MS = 30_000
/** How long those who use a target may take to end when it is closed. */
const LEAVE_MS = 10_000

/**
 * One cluster: connects to it, keeps its services running, and connects again after its API server has moved. Everything that
 * waits for the cluster waits here, in the background; whoever wants to use it is told at once why it cannot be used.
 */
export class ClusterTarget<T> {
  readonly #id: string
  readonly #deps: ClusterTargetDeps<T>
  readonly #over = new AbortController()
  readonly #life: Promise<void>
  readonly #access: KeptKubeconfig
  #opened: Opened<T> | undefined
  #away: ClusterAway | undefined
  /** Since when it cannot be used, by the monotonic clock. */
  #unusableSince: number | undefined
  /** Some runs may wait for long, those of other processes included. */
  #isRecovering = true
  #isGone = false
  #users = 0
  #usedAt: number
  /** Called when anything above has changed. */
  readonly #listeners = new Set<() => void>()

  constructor(id: string, deps: ClusterTargetDeps<T>) {
    this.#id = id
    this.#deps = deps
    this.#usedAt = deps.clock.now()
    this.#unusableSince = deps.clock.elapsed()
    const { access, clock } = deps
    this.#access = new KeptKubeconfig({ clusterId: id, access, clock, signal: this.#over.signal })
    this.#life = this.#live()
  }

  /**
   * While it is being connected to, `patience` is asked how long to wait for it. Throws `ClusterAway` while it cannot be used.
   * `gone`: for good.
   */
  async use(patience: () => number, signal: AbortSignal): Promise<Used<T> | 'gone'> {
    this.#usedAt = this.#deps.clock.now()
    const isKnown = (): boolean => this.#isGone || this.#opened !== undefined || this.#away !== undefined
    if (!isKnown()) await this.#until(isKnown, patience(), signal)
    if (this.#isGone) return 'gone'
    const opened = this.#opened
    if (this.#away !== undefined) throw waiting(this.#away, this.#waitMs())
    if (opened === undefined) throw waiting(connecting(this.#id), this.#waitMs())
    let isUsed = true
    this.#users++
    return {
      target: opened.target,
      away: (error) => {
        const away = awayOf(this.#id, error)
        if (this.#opened === opened) this.#say(away)
        return away
      },
      [Symbol.dispose]: () => {
        if (!isUsed) return
        isUsed = false
        this.#users--
        this.#usedAt = this.#deps.clock.now()
        this.#changed()
      },
    }
  }

  get idleMs(): number {
    return this.#users > 0 ? 0 : this.#deps.clock.now() - this.#usedAt
  }

  async close(): Promise<void> {
    this.#over.abort(new Error(`cluster ${this.#id} is no longer a target`))
    await this.#life
  }

  async #live(): Promise<void> {
    const { signal } = this.#over
    while (!signal.aborted && !this.#isGone) {
      const moved = new AbortController()
      await this.#connect(moved, AbortSignal.any([signal, moved.signal])).catch((error: unknown) => {
        if (!signal.aborted && !moved.signal.aborted) this.#say(awayOf(this.#id, error))
      })
      if (!moved.signal.aborted) await this.#pause(signal)
    }
  }

  /** Connects, and stays connected until the signal is aborted. */
  async #connect(moved: AbortController, signal: AbortSignal): Promise<void> {
    const { clock, open } = this.#deps
    let isFirst = true
    const obtain = async (): Promise<EndingKubeconfig> => {
      const answer = isFirst ? this.#access.first() : this.#access.next()
      isFirst = false
      return this.#unlessGone(await answer, moved)
    }
    const of = `of cluster ${this.#id}`
    const { config, renew } = await renewedConfig({ of, obtain, onMoved: () => moved.abort(), clock }).catch(
      (error: unknown) => {
        this.#access.failed()
        throw error
      },
    )
    const opened = open(this.#id, { ...config, credentials: this.#elseAway(config.credentials) })
    let stop: (() => Promise<void>) | undefined
    try {
      await this.#answers(opened, signal)
      this.#say(undefined)
      stop = await this.#started(opened, signal)
      this.#opened = opened
      this.#recovered()
      this.#changed()
      await Promise.race([this.#probing(opened, renew, signal), failing(opened.services)])
    } finally {
      this.#opened = undefined
      this.#unusableSince ??= clock.elapsed()
      await this.#until(() => this.#users === 0, LEAVE_MS)
      await stop?.()
      await opened.close()
    }
  }

  /** Without credentials the cluster is away, whatever is wrong with them. */
  #elseAway(source: KubeConfig['credentials']): KubeConfig['credentials'] {
    const current = (): ReturnType<typeof source.current> =>
      source.current().catch((error: unknown) => {
        throw awayOf(this.#id, error)
      })
    return { kind: source.kind, current, refused: (refused) => source.refused(refused) }
  }

  /** Starts its services. Some are ready only once the API server has answered, so that one that falls silent is given up. */
  async #started(opened: Opened<T>, signal: AbortSignal): Promise<() => Promise<void>> {
    const over = new AbortController()
    const either = AbortSignal.any([signal, over.signal])
    const starting = startAll(opened.services, either)
    const answering = async (): Promise<never> => {
      for (;;) {
        await sleep(this.#deps.clock, RETRY_MS, either)
        await this.#answers(opened, either)
      }
    }
    try {
      return await Promise.race([starting, answering()])
    } catch (error) {
      over.abort(error)
      const stop = await starting.catch(() => undefined)
      await stop?.()
      throw error
    } finally {
      over.abort(new Error('its services have started'))
    }
  }

  #unlessGone(answer: EndingKubeconfig | 'gone', ended: AbortController): EndingKubeconfig {
    if (answer !== 'gone') return answer
    this.#isGone = true
    ended.abort()
    // What was in it went with it, which the runs that wait for it have to find out.
    this.#recovered()
    this.#changed()
    throw new ClusterAway(raise.ClusterGone(`cluster ${this.#id} is gone`).failure)
  }

  /**
   * Asks whether the API server still answers: a run that finds everything as it remembers it would not notice. One that was
   * silent is asked until it answers.
   */
  async #probing(opened: Opened<T>, renew: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    let silentSince = Infinity
    while (!signal.aborted) {
      await this.#until(() => this.#away !== undefined, CHECK_MS, signal)
      if (this.#away !== undefined) {
        silentSince = Math.min(silentSince, clock.elapsed())
        await this.#pause(signal)
      }
      if (signal.aborted) return
      if (clock.elapsed() >= silentSince + MOVED_AFTER_MS) {
        silentSince = clock.elapsed()
        await renew().catch(() => {})
      }
      const answered = await this.#answers(opened, signal).then(
        () => true,
        (error: unknown) => {
          if (!signal.aborted) this.#say(awayOf(this.#id, error))
          return false
        },
      )
      if (!answered) continue
      silentSince = Infinity
      this.#say(undefined)
      this.#recovered()
    }
  }

  async #answers(opened: Opened<T>, signal: AbortSignal): Promise<void> {
    const asked = { clock: this.#deps.clock, ms: ANSWER_MS, call: `the API server of cluster ${this.#id}` }
    try {
      await answerWithin(asked, () => opened.probe(signal))
      this.#access.answered()
    } catch (error) {
      this.#access.failed()
      throw error
    }
  }

  #say(away: ClusterAway | undefined): void {
    const isNews = this.#away?.message !== away?.message
    this.#away = away
    if (away !== undefined) this.#unusableSince ??= this.#deps.clock.elapsed()
    if (isNews) this.#deps.onChange?.(this.#id, away)
    this.#changed()
  }

  #recovered(): void {
    const isNews = this.#isRecovering || this.#unusableMs() >= SHORT_AWAY_MS
    this.#unusableSince = undefined
    this.#isRecovering = false
    if (isNews) this.#deps.onRecovered?.(this.#id)
  }

  #unusableMs(): number {
    return this.#unusableSince === undefined ? 0 : this.#deps.clock.elapsed() - this.#unusableSince
  }

  #waitMs(): number {
    const ms = this.#unusableMs()
    return ms < SHORT_AWAY_MS ? WAIT_MS : Math.min(Math.round(ms / 2), LONGEST_WAIT_MS)
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }

  #pause(signal: AbortSignal): Promise<void> {
    return sleep(this.#deps.clock, RETRY_MS, signal).catch(() => {})
  }

  /** Resolves when it is so, after `ms`, or when the signal is aborted. */
  async #until(isSo: () => boolean, ms: number, signal?: AbortSignal): Promise<void> {
    if (isSo() || ms <= 0) return
    const enough = new AbortController()
    const check = (): void => {
      if (isSo()) enough.abort()
    }
    const ended = AbortSignal.any([enough.signal, ...(signal ? [signal] : [])])
    this.#listeners.add(check)
    await (ms === Infinity ? aborted(ended) : sleep(this.#deps.clock, ms, ended).catch(() => {}))
    this.#listeners.delete(check)
  }
}

const connecting = (id: string): ClusterAway =>
  new ClusterAway(raise.ClusterUnreachable(`cluster ${id} is being connected to`).failure)

/** Rejects when one of them ends by itself. */
const failing = (services: readonly Service[]): Promise<never> =>
  Promise.race(
    services.map(async ({ name, done }): Promise<never> => {
      await done
      throw new Error(`${name} has ended`)
    }),
  )
