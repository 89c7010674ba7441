import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act } from 'react'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { memoryLocation } from 'wouter/memory-location'
import { apiClient } from '../lib/api/client.ts'
import { ApiContext } from '../lib/api/context.tsx'

declare global {
  var IS_REACT_ACT_ENVIRONMENT: boolean
}
globalThis.IS_REACT_ACT_ENVIRONMENT = true

/** What the API answers, by `METHOD /path` without the query. A function may answer differently each time. */
export type Answers = Record<string, unknown>

export interface Screen extends Disposable {
  readonly root: HTMLElement
  readonly queries: QueryClient
  /** Requests in order, as `METHOD /path?query`. */
  readonly requests: string[]
  text(): string
  /** The first element that matches and whose text or label contains `name`. */
  find(selector: string, name?: string): HTMLElement
  click(selector: string, name?: string): Promise<void>
  type(selector: string, text: string): Promise<void>
  /** Resolves when `condition` holds; fails with what is on the screen. */
  until(condition: () => boolean): Promise<void>
}

/** Draws something with everything around it that the app would give it, on an API that the test answers for. */
export async function render(
  element: ReactNode,
  { answers = {}, path = '/' }: { answers?: Answers; path?: string } = {},
): Promise<Screen> {
  const requests: string[] = []
  const fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input, 'http://caelus.test')
    requests.push(`${init?.method ?? 'GET'} ${url.pathname.slice('/api/v1'.length)}${url.search}`)
    const given = answers[`${init?.method ?? 'GET'} ${url.pathname.slice('/api/v1'.length)}`]
    const answer: unknown = typeof given === 'function' ? given(init, url) : given
    if (answer instanceof Response) return answer
    return answer === undefined ? new Response(null, { status: 404 }) : Response.json(answer)
  }
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const { hook, searchHook } = memoryLocation({ path })
  const root = document.createElement('div')
  document.body.append(root)
  const react = createRoot(root)
  await act(async () =>
    react.render(
      <MantineProvider env="test">
        <QueryClientProvider client={queries}>
          <ApiContext value={apiClient({ fetch })}>
            <Router hook={hook} searchHook={searchHook}>
              {element}
            </Router>
          </ApiContext>
        </QueryClientProvider>
      </MantineProvider>,
    ),
  )

  const find = (selector: string, name = ''): HTMLElement => {
    const found = [...document.querySelectorAll<HTMLElement>(selector)].find((each) =>
      `${each.textContent} ${each.getAttribute('aria-label') ?? ''}`.includes(name),
    )
    if (found === undefined) throw new Error(`found no ${selector} with "${name}" in: ${visibleText()}`)
    return found
  }
  return {
    root,
    queries,
    requests,
    text: visibleText,
    find,
    click: (selector, name) => act(async () => find(selector, name).click()),
    type: (selector, text) =>
      act(async () => {
        const input = find(selector) as HTMLInputElement
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text)
        input.dispatchEvent(new Event('input', { bubbles: true }))
      }),
    async until(condition) {
      const deadline = Date.now() + 3_000
      while (!condition()) {
        if (Date.now() > deadline) throw new Error(`waited 3 s in vain; on the screen: ${visibleText()}`)
        await act(() => new Promise((resolve) => setTimeout(resolve, 5)))
      }
    },
    [Symbol.dispose]() {
      act(() => react.unmount())
      queries.clear()
      root.remove()
    },
  }
}

/** The library puts style elements into the body; what they say is not on the screen. */
function visibleText(): string {
  const body = document.body.cloneNode(true) as HTMLElement
  for (const style of body.querySelectorAll('style')) style.remove()
  return body.textContent.trim()
}
