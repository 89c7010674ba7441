import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { Route, Switch } from 'wouter'
import { ErrorBoundary } from '../components/feedback/ErrorBoundary.tsx'
import { apiClient } from '../lib/api/client.ts'
import { ApiContext } from '../lib/api/context.tsx'
import { worthRetrying } from '../lib/api/problem.ts'
import { browserLine } from '../lib/live/browser-line.ts'
import { LineContext } from '../lib/live/context.tsx'
import { endSession } from '../lib/session.ts'
import { SignedIn } from './SignedIn.tsx'
import { theme } from './theme.ts'

const LoginPage = lazy(() => import('../features/login/LoginPage.tsx').then((m) => ({ default: m.LoginPage })))

const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: worthRetrying, staleTime: 5_000, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
})
const api = apiClient({ fetch: (...args) => fetch(...args), onUnauthenticated: () => endSession(queries) })
const live = browserLine(queries, () => endSession(queries))

export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <ErrorBoundary>
        <QueryClientProvider client={queries}>
          <ApiContext value={api}>
            <LineContext value={live}>
              <Suspense>
                <Switch>
                  <Route path="/login" component={LoginPage} />
                  <Route component={SignedIn} />
                </Switch>
              </Suspense>
            </LineContext>
          </ApiContext>
        </QueryClientProvider>
      </ErrorBoundary>
    </MantineProvider>
  )
}
