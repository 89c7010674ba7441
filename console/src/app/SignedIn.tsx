import { Center, Container, Loader } from '@mantine/core'
import { useEffect } from 'react'
import { Redirect, useLocation, useSearch } from 'wouter'
import { ProblemView } from '../components/feedback/ProblemView.tsx'
import { useMe } from '../lib/api/queries.ts'
import { useLine } from '../lib/live/context.tsx'
import { loginPath } from '../lib/return-to.ts'
import { Shell } from './Shell.tsx'

/** Everything behind the login: opens the live line, and leads to the login and back when the session ends. */
export function SignedIn() {
  const me = useMe()
  const [path] = useLocation()
  const search = useSearch()
  const line = useLine()
  const known = me.data !== undefined && me.data !== null
  useEffect(() => {
    if (known) line.start()
    return () => line.stop()
  }, [known, line])

  if (me.data === null) return <Redirect to={loginPath(search === '' ? path : `${path}?${search}`)} replace />
  if (me.data !== undefined) return <Shell me={me.data} />
  if (me.error) {
    return (
      <Container size="xs" py={80} component="main">
        <ProblemView error={me.error} onRetry={() => void me.refetch()} retrying={me.isFetching} />
      </Container>
    )
  }
  return (
    <Center h="100vh">
      <Loader aria-label="Loading" />
    </Center>
  )
}
