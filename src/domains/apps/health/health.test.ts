import { expect, test } from 'vitest'
import type { KubeObject } from '../../../kube/index.ts'
import { healthOf } from './health.ts'

const job = (status: object): KubeObject =>
  ({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'web' }, status }) as unknown as KubeObject

test('the reason names the object', () => {
  expect(healthOf(job({}))).toEqual({ is: 'progressing', because: 'Job/web has not completed' })
  expect(healthOf(job({ conditions: [{ type: 'Complete', status: 'True' }] }))).toEqual({ is: 'ready' })
})
