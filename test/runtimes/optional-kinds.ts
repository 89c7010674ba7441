import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { KnativeService, PodMonitor, ServiceMonitor } from '../../src/domains/runtimes/watch/optional-kinds.ts'
import { installCrd, type Client, type CustomResourceDefinition, type Resource } from '../../src/kube/index.ts'

const KINDS: ReadonlyArray<readonly [Resource, string]> = [
  [KnativeService, 'knative-service'],
  [ServiceMonitor, 'service-monitor'],
  [PodMonitor, 'pod-monitor'],
]

/** Teaches the control plane of this run the kinds that Knative and the Prometheus operator define. */
export async function installForeignKinds(client: Client): Promise<void> {
  for (const [resource, file] of KINDS) {
    const text = await readFile(join(import.meta.dirname, `../../testdata/crds/${file}.yaml`), 'utf8')
    await installCrd(client, { ...resource, manifest: parse(text) as CustomResourceDefinition })
  }
}
