import { expect, test } from 'vitest'
import { advancePreparation, beginPreparation, endPreparation } from './preparation.ts'

const told = [{ what: 'building etcd' }, { what: 'building etcd', detail: '12 packages' }, { what: 'starting etcd' }]
const running = told.reduce((view, step, i) => advancePreparation(view, step, `t${i + 1}`), beginPreparation('t0'))

test('a step lasts until the next one begins', () => {
  expect(running).toEqual({
    state: 'running',
    started_at: 't0',
    ended_at: null,
    steps: [
      { name: 'building-etcd', title: 'building etcd', state: 'done', started_at: 't1', ended_at: 't3', message: null },
      {
        name: 'starting-etcd',
        title: 'starting etcd',
        state: 'running',
        started_at: 't3',
        ended_at: null,
        message: null,
      },
    ],
  })
})

test('success ends the last step, failure says why in it', () => {
  expect(endPreparation(running, undefined, 't9')).toMatchObject({
    state: 'done',
    ended_at: 't9',
    steps: [{}, { state: 'done' }],
  })
  expect(endPreparation(running, 'port taken', 't9').steps).toMatchObject([
    { state: 'done' },
    { state: 'failed', message: 'port taken' },
  ])
})
