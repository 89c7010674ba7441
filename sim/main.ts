import { parseArgs } from 'node:util'
import { explore, report, run, type Scenario } from './scenario.ts'
import { hunt, readMutants } from './mutants.ts'
import { SCENARIOS } from './scenarios/index.ts'

const { values } = parseArgs({
  options: {
    scenario: { type: 'string' },
    /** Runs this one alone and shows what happened. */
    seed: { type: 'string' },
    /** @default 1000, and 500 for each planted bug */
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    lines: { type: 'string', default: '80' },
    /** Plants the bugs of sim/mutants one by one, and says which are found. */
    mutants: { type: 'boolean', default: false },
    /** Only those planted bugs whose names contain this. */
    only: { type: 'string', default: '' },
  },
})

/** How many seeds a long search runs between two lines about its speed and memory. */
const TELL_EVERY = 500

const chosen = SCENARIOS.filter(({ name }) => values.scenario === undefined || values.scenario === name)
if (chosen.length === 0) {
  const known = SCENARIOS.map(({ name }) => name).join(', ')
  console.error(`there is no scenario ${values.scenario}; there are: ${known}`)
  process.exit(2)
}

if (values.mutants) {
  const some = readMutants().filter(({ name }) => name.includes(values.only))
  const survivors = await hunt(some, Number(values.seeds ?? 500))
  process.exit(survivors.length > 0 ? 1 : 0)
}

for (const scenario of chosen) {
  if (values.seed !== undefined) await replay(scenario, Number(values.seed))
  else await search(scenario, Number(values.seeds ?? 1000), Number(values.from))
}

async function replay(scenario: Scenario, seed: number): Promise<void> {
  const verdict = await run(scenario, seed)
  if (verdict.broken === undefined)
    console.log([...verdict.timeline, `seed ${seed} of ${scenario.name} broke no law`].join('\n'))
  else fail(report(verdict, Math.max(Number(values.lines), 1_000)))
}

async function search(scenario: Scenario, seeds: number, from: number): Promise<void> {
  const [began, used] = [performance.now(), process.cpuUsage()]
  const tell = (ran: number): void => {
    const seconds = (performance.now() - began) / 1000
    const { user, system } = process.cpuUsage(used)
    const cpu = (user + system) / 1e6
    const perSecond = (of: number): string => (ran / of).toFixed(1)
    const memory = (process.memoryUsage.rss() / 2 ** 20).toFixed(0)
    console.log(
      `${scenario.name}: ${ran} seeds in ${seconds.toFixed(1)} s, ${perSecond(seconds)} per second, ` +
        `${perSecond(cpu)} per second of CPU (${((cpu / ran) * 1000).toFixed(0)} ms each), ${memory} MB`,
    )
  }
  const onSeed = (ran: number): void => void (ran % TELL_EVERY === 0 && ran < seeds && tell(ran))
  const { seeds: ran, found } = await explore(scenario, { seeds, from, onSeed })
  tell(ran)
  if (found !== undefined) fail(report(found, Number(values.lines)))
}

function fail(text: string): void {
  console.error(text)
  process.exitCode = 1
}
