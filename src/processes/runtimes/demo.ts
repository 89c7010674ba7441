import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { Runtimes } from '../../domains/runtimes/usecases/index.ts'
import { ClassRuntime, type ClassRuntimeSpec } from '../../domains/runtimes/index.ts'
import { every, systemClock, timestamp, type Service } from '../../kernel/index.ts'
import { isAlreadyExists, isNotFound, Namespace, type Client } from '../../kube/index.ts'

const EXAMPLES = join(import.meta.dirname, '../../../examples/runtimes')
export const DEMO_NAMESPACE = 'caelus-demo-runtimes'
/** The runtime with made-up load: its recommendations are only observed. */
const OBSERVED = { name: 'greeter', function: 'greet' }

/**
 * Creates a greeter with one function and the two classes of a shop, once: later edits and deletions are
 * respected.
 */
export async function makeDemoRuntimes(client: Client, runtimes: Runtimes): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: DEMO_NAMESPACE } } as const
  const isNew = await client.create(Namespace, namespace).then(
    () => true,
    (error: unknown) => {
      if (isAlreadyExists(error)) return false
      throw error
    },
  )
  if (!isNew) return
  const actor = { admin: true }
  const greeter = parse(await readFile(join(EXAMPLES, 'greeter.yaml'), 'utf8')) as { spec: ClassRuntimeSpec }
  const enforcement = { mode: 'observe', dimensions: ['replicas'] } as const
  await runtimes.put(
    actor,
    { namespace: DEMO_NAMESPACE, name: OBSERVED.name, spec: { ...greeter.spec, enforcement } },
    {},
  )
  const source = await readFile(join(EXAMPLES, 'shop.opackage.yaml'), 'utf8')
  await runtimes.applyPackage(actor, { source, environment: 'cloud', namespace: DEMO_NAMESPACE, dryRun: false })
}

const EVERY_MS = 20_000
const REPLICAS = [2, 2, 3, 3, 3, 2]

/**
 * Writes made-up recommendations for the greeter, because the simulated nodes carry no load to measure. Its
 * enforcement mode is `observe`: the status shows what would be changed, and the workload stays as it is.
 */
export function demoLoad(client: Client, onError: (error: unknown) => void): Service {
  let round = 0
  const recommend = async (signal: AbortSignal): Promise<void> => {
    const at = timestamp(systemClock.now())
    const value = REPLICAS[Math.floor(round++ / 6) % REPLICAS.length] ?? 2
    const recommendation = { value, at, confidence: 0.9, basis: 'made up by the demo; nothing was measured' }
    const status = { nfr_recommendations: { [`replicas/${OBSERVED.function}`]: recommendation } }
    const where = { namespace: DEMO_NAMESPACE, name: OBSERVED.name }
    await client.patchStatus(ClassRuntime, where, { merge: { status } }, { signal }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error
    })
  }
  return every('demo load', EVERY_MS, recommend, { onError })
}
