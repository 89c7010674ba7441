import { vi } from 'vitest'
import type { RuntimeView } from '../../../src/api/contract/index.ts'
import type { ClassRuntimeSpec } from '../../../src/domains/runtimes/index.ts'
import type { HttpTransport } from '../../../src/kube/index.ts'
import type { RuntimesUseCases } from '../../../src/processes/runtimes/usecases.ts'
import { fn, PATIENCE_MS, RuntimesWorld } from '../../runtimes/world.ts'
import { runtimesDoor } from './server.ts'
import { world, type Person, type World } from '../world.ts'

/** An API that looks at a namespace of its own; whether anybody controls it is for the test to say. */
export interface RuntimesApi extends AsyncDisposable {
  readonly api: World
  readonly controlPlane: RuntimesWorld
  readonly useCases: RuntimesUseCases
  readonly admin: Person
  readonly member: Person
  /** `/api/v1/runtimes/<namespace>/<name>` */
  path(name: string): string
  manifest(name: string, spec?: ClassRuntimeSpec): object
  read<T>(url: string): Promise<T>
  /** The runtime once the API shows it as expected. */
  shows(name: string, isExpected: (view: RuntimeView) => boolean): Promise<RuntimeView>
}

/** Up, and seen to be: the watch of what it is made of may be later than that of the runtime itself. */
export const isUp = ({ phase, children }: RuntimeView): boolean =>
  phase === 'available' && children.every(({ health }) => health === 'ready')

export interface RuntimesApiOptions {
  /** Puts something between the API and its control plane. */
  readonly through?: (transport: HttpTransport) => HttpTransport
  /** Wait until the API has seen the control plane. @default true */
  readonly isSeen?: boolean
}

export async function runtimesApi({ through, isSeen = true }: RuntimesApiOptions = {}): Promise<RuntimesApi> {
  const door = runtimesDoor()
  const controlPlane = await RuntimesWorld.make()
  const api = await world({ routes: door.routes })
  const seen = await door.see(through)
  const [admin, member] = [await api.person('admin'), await api.person('member')]
  const path = (name: string): string => `/api/v1/runtimes/${controlPlane.namespace}/${name}`
  const read = async <T>(url: string): Promise<T> => {
    const answer = await api.as(admin.secret, { url })
    if (answer.statusCode !== 200) throw new Error(`GET ${url} answered ${answer.statusCode}: ${answer.body}`)
    return answer.json<T>()
  }
  const made: RuntimesApi = {
    api,
    controlPlane,
    useCases: seen.useCases,
    admin,
    member,
    path,
    read,
    manifest: (name, spec = { functions: [fn('hello')] }) => ({
      apiVersion: 'oaas.io/v1alpha1',
      kind: 'ClassRuntime',
      metadata: { name, namespace: controlPlane.namespace },
      spec: { selected_template: 'k8s_deployment', addons: [], ...spec },
    }),
    async shows(name, isExpected) {
      let last: unknown
      for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await new Promise((next) => setTimeout(next, 100))) {
        const answer = await api.as(admin.secret, { url: path(name) })
        last = answer.json()
        if (answer.statusCode === 200 && isExpected(answer.json<RuntimeView>())) return answer.json<RuntimeView>()
      }
      throw new Error(`failed to be shown ${name} as expected: ${JSON.stringify(last)}`)
    },
    async [Symbol.asyncDispose]() {
      await seen[Symbol.asyncDispose]()
      await api[Symbol.asyncDispose]()
      await controlPlane[Symbol.asyncDispose]()
    },
  }
  // The first list may take longer than the API lets a caller wait.
  if (isSeen) await vi.waitFor(() => read('/api/v1/runtimes'), { timeout: PATIENCE_MS })
  return made
}
