import { describe, expect, it } from 'vitest'
import { service, startAll } from './service.ts'

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

/** A service that writes down when it starts and stops. */
const noted = (name: string, log: string[]) =>
  service(name, async (signal, ready) => {
    log.push(`+${name}`)
    ready()
    await untilAborted(signal)
    log.push(`-${name}`)
  })

describe('service', () => {
  it('is harmless to stop twice and before it started', async () => {
    const log: string[] = []
    const one = noted('one', log)
    await one.stop()
    await one.stop()
    await one.done
    expect(log).toEqual([])
  })

  it('rejects start when it ends before it is ready, and done when it ends by itself later', async () => {
    const stillborn = service('stillborn', async () => {
      throw new Error('no port')
    })
    await expect(stillborn.start()).rejects.toThrow('stillborn ended by itself')
    const shortLived = service('short-lived', async (_signal, ready) => ready())
    await shortLived.start()
    await expect(shortLived.done).rejects.toThrow('short-lived ended by itself')
  })
})

describe('startAll', () => {
  it('starts in order and stops in reverse', async () => {
    const log: string[] = []
    const stop = await startAll([noted('a', log), noted('b', log)])
    await stop()
    expect(log).toEqual(['+a', '+b', '-b', '-a'])
  })

  it('stops what it started when a later one fails', async () => {
    const log: string[] = []
    const failing = service('failing', async () => {
      throw new Error('taken')
    })
    await expect(startAll([noted('a', log), noted('b', log), failing])).rejects.toThrow('failing ended by itself')
    expect(log).toEqual(['+a', '+b', '-b', '-a'])
  })
})
