import { join } from 'node:path'
import { expect } from 'vitest'
import { FakeCharts, fakeHelm, type HelmFault } from '../../../src/domains/apps/helm/fake/index.ts'
import { releases } from '../../../src/domains/apps/helm/index.ts'
import { seededRandom, systemClock, type Clock } from '../../../src/kernel/index.ts'
import { FakeKubernetes } from '../../../src/kube/fake/index.ts'
import { discovery, makeClient, Secret } from '../../../src/kube/index.ts'
import { obtainBinaries } from '../../../tools/binaries/index.ts'
import { exerciseHelm, type HelmUnderTest } from '../../conformance/helm.ts'
import { WEB } from '../../conformance/helm/web.ts'
import { helmProcess, helmWorld, ROOT, versionOf } from './world.ts'

/** Sentences that do not hold for Helm 3, which patches on its own where Helm 4 has the server apply. */
const HELM_3 = {
  'installs what it renders, as manager helm and marked as its own': 'its fields are updated, not applied',
  'records objects that the server takes as no change at all': 'the first apply takes them over from the update',
  'is stopped by fields that another manager holds, unless they are handed over': 'it overwrites them',
  'leaves an upgrade pending when it is killed; marked as failed, the next upgrade mends it':
    'what the killed one had added stays',
}

const { helm: binary } = await obtainBinaries(['helm'])
const { major, text } = await versionOf(binary)

const makeReal = async (): Promise<HelmUnderTest> => {
  const world = await helmWorld()
  const { namespace, client } = world
  return {
    ...world,
    web: { ref: join(ROOT, 'testdata/charts/web'), version: '1.0.0', digest: null },
    async killDuring(call, hasBegun) {
      const over = call().catch(() => {})
      await expect
        .poll(
          () => client.list(Secret, { namespace, labels: 'owner=helm,status in (pending-install,pending-upgrade)' }),
          {
            timeout: 20_000,
          },
        )
        .toHaveLength(1)
      await expect.poll(hasBegun, { timeout: 20_000 }).toBe(true)
      const helm = await helmProcess(namespace)
      if (helm === undefined) throw new Error('expected helm to be running')
      process.kill(helm.pid, 'SIGKILL')
      await over
    },
    close: async () => world[Symbol.asyncDispose](),
  }
}

exerciseHelm(`the Helm command line ${text}`, makeReal, major === 3 ? HELM_3 : {})

/** Waits that Helm would sit out take a moment. */
const hasty: Clock = { ...systemClock, after: (ms, fn) => systemClock.after(ms / 50, fn) }

exerciseHelm('the fake', async () => {
  const controlPlane = new FakeKubernetes({ clock: systemClock, random: seededRandom(1), namespaces: ['tenant'] })
  const transport = controlPlane.transport()
  const charts = new FakeCharts()
  let fault: HelmFault | undefined
  const client = makeClient(transport, { fieldManager: 'test' })
  return {
    charts,
    helm: fakeHelm({ transport, clock: hasty, charts, fault: () => fault }),
    releases: releases(client, discovery(transport)),
    client,
    namespace: 'tenant',
    web: charts.publish('oci://registry.example.com/web', WEB),
    async killDuring(call) {
      fault = 'dies'
      await expect(call()).rejects.toThrow('helm was killed')
      fault = undefined
    },
  }
})
