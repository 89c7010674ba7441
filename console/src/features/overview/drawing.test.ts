import { describe, expect, test } from 'vitest'
import { domain, status } from '../../testing/status.ts'
import { drawControlPlane } from './drawing.ts'
import type { Box } from './drawing.ts'

const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

describe.each(['wide', 'tall'] as const)('the %s drawing', (shape) => {
  const { boxes, width, height, wires } = drawControlPlane(status(), shape)

  test('has three sources, queue, kernel and five domains', () => {
    expect(boxes.map(({ id }) => id)).toEqual([
      'rows',
      'resources',
      'pods',
      'queue',
      'kernel',
      'apps',
      'clusters',
      'runtimes',
      'actions',
      'edge',
    ])
    expect(wires).toHaveLength(3 + 1 + 5)
  })

  test('keeps every box inside, and none on another', () => {
    for (const box of boxes) {
      expect(box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height, box.id).toBe(true)
      for (const other of boxes) if (other !== box) expect(overlap(box, other), `${box.id} on ${other.id}`).toBe(false)
    }
  })
})

test('the state is told by the boxes', () => {
  const { boxes } = drawControlPlane(
    status({
      kubernetes: null,
      components: [{ name: 'kubernetes', health: 'preparing', message: '', version: null, since: '' }],
      queue: { due: 2, running: 1, waiting: 0, parked: 0 },
      domains: [domain('apps', { enabled: true, health: 'ok', objects: 2, not_ready: 1 }), domain('edge')],
    }),
    'wide',
  )
  const told = Object.fromEntries(boxes.map(({ id, detail, tone }) => [id, `${tone}: ${detail}`]))
  expect(told).toEqual({
    rows: 'info: PostgreSQL not enabled',
    resources: 'wait: Kubernetes preparing',
    pods: 'wait: no nodes yet',
    queue: 'good: 2 due, 0 waiting',
    kernel: 'good: 1 running',
    apps: 'good: 2 objects, 1 not ready',
    edge: 'info: not enabled here',
  })
})

test('wires are busy only while the queue is, and never towards what is not enabled', () => {
  const busy = (running: number): string[] =>
    drawControlPlane(
      status({
        queue: { due: 0, running, waiting: 5, parked: 0 },
        domains: [domain('apps', { enabled: true, health: 'ok' }), domain('edge')],
      }),
      'wide',
    )
      .wires.filter((wire) => wire.busy)
      .map(({ id }) => id)
  expect(busy(0)).toEqual([])
  expect(busy(1)).toContain('kernel-apps')
  expect(busy(1)).not.toContain('kernel-edge')
})
