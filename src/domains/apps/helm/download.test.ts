import { afterEach, expect, test, vi } from 'vitest'
import { charts } from './charts.ts'
import { download, isLoopback } from './download.ts'

afterEach(() => vi.unstubAllGlobals())

test.each([
  ['localhost', true],
  ['charts.localhost', true],
  ['127.0.0.1', true],
  ['127.8.9.1', true],
  ['0.0.0.0', true],
  ['[::1]', true],
  ['[::ffff:7f00:1]', true],
  ['localhost.example.com', false],
  ['128.0.0.1', false],
  ['[2001:db8::1]', false],
])('%s is this machine: %s', (hostname, expected) => expect(isLoopback(hostname)).toBe(expected))

const location = 'https://127.0.0.1:6443/api'
const forbidden = { failure: { code: 'ChartForbidden', message: expect.stringContaining('may not lead to this') } }

/** Every address redirects to this machine. */
function redirecting() {
  const fetched = vi.fn(async () => new Response(null, { status: 302, headers: { location } }))
  vi.stubGlobal('fetch', fetched)
  return fetched
}

const get = (url: string, from?: string) =>
  download({ url, maxBytes: 1, accessFor: () => undefined, ...(from !== undefined && { from }) })

test('another machine leads to this one neither by a redirect nor by an address that it names', async () => {
  const fetched = redirecting()
  await expect(get('https://charts.example.com/index.yaml')).rejects.toMatchObject(forbidden)
  expect(fetched).toHaveBeenCalledTimes(1)
  await expect(get(location, 'https://charts.example.com')).rejects.toMatchObject(forbidden)
  expect(fetched).toHaveBeenCalledTimes(1)
})

test.each(['http://127.0.0.1:8080/hello', 'oci://localhost:5000/hello', 'https://[::1]/hello'])(
  '%s is for development alone',
  async (ref) => {
    const fetched = redirecting()
    const fetching = charts({ cacheDir: '/nowhere' }).fetch({ ref, version: '1.0.0', digest: null })
    await expect(fetching).rejects.toMatchObject({ failure: { code: 'ChartForbidden' } })
    expect(fetched).not.toHaveBeenCalled()
  },
)
