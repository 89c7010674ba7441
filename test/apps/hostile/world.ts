import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { inject } from 'vitest'
import { previewOf, type AppsParts, type Previewed } from '../../../src/domains/apps/index.ts'
import { helmCli, type Helm } from '../../../src/domains/apps/helm/index.ts'
import { discovery, Secret } from '../../../src/kube/index.ts'
import { testTransport } from '../../support/kube.ts'
import { helmWorld, writeChart, type HelmWorld } from '../helm/world.ts'
import { ADMIN, WorkerWorld } from '../worker/world.ts'

/** Short, so that what never ends is seen not to. */
export const RENDER_MS = 5_000

/** What must never be seen by a tenant. */
export const TREASURE = `treasure-${randomBytes(8).toString('hex')}`

const SCHEMA = JSON.stringify({
  type: 'object',
  properties: { user: { type: 'object', properties: { text: { type: 'string' } } } },
})

export interface PublishOptions {
  /** Beside the templates, by path. */
  readonly files?: Readonly<Record<string, string | Buffer>>
  readonly healthTimeoutSec?: number
}

/** A product whose chart does what `templates` say, and everything needed to preview it as the API does. */
export class HostileWorld implements AsyncDisposable {
  readonly worker: WorkerWorld
  readonly tools: HelmWorld
  readonly parts: AppsParts
  readonly #closing: AsyncDisposable

  private constructor(worker: WorkerWorld, tools: HelmWorld, parts: AppsParts, closing: AsyncDisposable) {
    this.worker = worker
    this.tools = tools
    this.parts = parts
    this.#closing = closing
  }

  get helm(): Helm {
    return this.parts.helm
  }

  static async make(): Promise<HostileWorld> {
    const worker = await WorkerWorld.make()
    const tools = await helmWorld()
    const transport = await testTransport()
    const kinds = discovery(transport)
    const helm = helmCli({
      binary: tools.binary,
      kubeconfig: inject('kubeconfig'),
      kinds,
      home: join(tools.tempDir, 'hostile'),
      tempDir: tools.tempDir,
      renderMs: RENDER_MS,
    })
    const parts = await worker.parts({ charts: tools.charts, helm })
    return new HostileWorld(worker, tools, parts, transport)
  }

  /** Publishes a chart; answers with the template's id. */
  async publish(
    templates: Readonly<Record<string, string>>,
    { files = {}, healthTimeoutSec = 20 }: PublishOptions = {},
  ): Promise<string> {
    return this.worker.publish(await this.write(templates, files), { healthTimeoutSec })
  }

  /** The folder of a chart whose users may set a text. */
  async write(templates: Readonly<Record<string, string>>, files: PublishOptions['files'] = {}): Promise<string> {
    const folder = await writeChart(this.worker.dir, templates, { values: 'user: {}\n' })
    await writeFile(join(folder, 'values.schema.json'), SCHEMA)
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), content)
    }
    return folder
  }

  /** What a tenant is shown before ordering. */
  async previewOrder(templateId: string, text = ''): Promise<Previewed> {
    const { apps, userId } = this.worker
    const domainname = `${randomBytes(4).toString('hex')}.example.com`
    return previewOf(
      this.parts,
      await apps.previewCreate(ADMIN, { userId, templateId, domainname, userValues: { text } }),
    )
  }

  /** What a tenant is shown before changing something that is there. */
  async previewChange(id: string, text: string): Promise<Previewed> {
    return previewOf(this.parts, await this.worker.apps.previewUpdate(ADMIN, { id }, { userValues: { text } }))
  }

  async hide(namespace: string): Promise<{ readonly name: string } & AsyncDisposable> {
    const at = { namespace, name: `hidden-${randomBytes(4).toString('hex')}` }
    const { client } = this.worker
    await client.create(Secret, { apiVersion: 'v1', kind: 'Secret', metadata: at, stringData: { key: TREASURE } })
    return { name: at.name, [Symbol.asyncDispose]: async () => void (await client.delete(Secret, at)) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#closing[Symbol.asyncDispose]()
    await this.tools[Symbol.asyncDispose]()
    await this.worker[Symbol.asyncDispose]()
  }
}
