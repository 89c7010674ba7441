import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Echo } from '../../examples/echo/index.ts'
import {
  type Client,
  ConfigMap,
  httpTransport,
  type HttpTransport,
  installCrd,
  loadKubeConfig,
  makeClient,
} from '../../src/kube/index.ts'
import { startControlPlane, type ControlPlane } from '../../tools/control-plane/index.ts'
import { builtProgram } from '../support/programs.ts'

const COUNT = 60

let controlPlane: ControlPlane
let dir: string
let transport: HttpTransport
let client: Client

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'caelus-echo-chaos-'))
  controlPlane = await startControlPlane({ dir, nodes: 'none' })
  transport = httpTransport(await loadKubeConfig({ path: controlPlane.kubeconfig }))
  client = makeClient(transport, { fieldManager: 'user' })
  await installCrd(client, Echo)
})

afterAll(async () => {
  await transport.close()
  await controlPlane.stop()
  await rm(dir, { recursive: true, force: true })
})

/** The real program, in a process of its own. */
const startController = (): ChildProcess =>
  spawn(process.execPath, [builtProgram('bench/controller-peer')], {
    env: { ...process.env, KUBECONFIG: controlPlane.kubeconfig },
    stdio: 'ignore',
  })

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await gone
}

const say = (prefix: string) =>
  Promise.all(
    Array.from({ length: COUNT }, (_, i) =>
      client.apply(Echo, {
        apiVersion: 'bench.example/v1',
        kind: 'Echo',
        metadata: { name: `echo-${i}`, namespace: 'default' },
        spec: { message: `${prefix} ${i}` },
      }),
    ),
  )

const answered = async (): Promise<number> => {
  const [echoes, children] = await Promise.all([client.list(Echo), client.list(ConfigMap, { namespace: 'default' })])
  const said = new Map(children.map(({ metadata, data }) => [metadata.name, data?.['message']]))
  return echoes.filter(
    ({ metadata, spec, status }) =>
      said.get(metadata.name) === spec.message && status?.observedGeneration === metadata.generation,
  ).length
}

/** Waits until so many are answered; asking fails while the API server is away, which is no reason to give up. */
async function some(atLeast: number): Promise<void> {
  const deadline = Date.now() + 90_000
  for (let count = 0; count < atLeast; count = await answered().catch(() => 0)) {
    if (Date.now() > deadline) throw new Error(`${count} of ${atLeast} echoes were answered in time`)
    await delay(50)
  }
}

test('a controller killed again and again in the middle of its work loses nothing', async () => {
  await say('first')
  for (const progress of [1, COUNT / 3, (COUNT * 2) / 3]) {
    const doomed = startController()
    await some(progress)
    await end(doomed, 'SIGKILL')
  }
  const last = startController()
  await some(COUNT)
  await end(last, 'SIGTERM')
  expect(await answered()).toBe(COUNT)
})

test('an API server that dies in the middle of a run costs nothing but time', async () => {
  const controller = startController()
  await some(COUNT)
  await say('second')
  await controlPlane.killApiServer()
  await controlPlane.restartApiServer()
  await say('third')
  await some(COUNT)
  await end(controller, 'SIGTERM')
  expect(await answered()).toBe(COUNT)
})
