import {
  Alert,
  Button,
  Code,
  Divider,
  Paper,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { IconAlertTriangle, IconLogin2 } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { Loaded } from '../../components/feedback/Loaded.tsx'
import { Logo } from '../../components/page/Logo.tsx'
import { ProblemView } from '../../components/feedback/ProblemView.tsx'
import { useApi } from '../../lib/api/context.tsx'
import type { DevLogin, LoginMethods, Me } from '../../lib/api/contract.ts'
import { queryText } from '../../lib/api/client.ts'
import { loginFailure } from '../../lib/login-failure.ts'
import { returnPath } from '../../lib/return-to.ts'
import { beginSession } from '../../lib/session.ts'
import classes from './LoginPage.module.css'

export function LoginPage() {
  const api = useApi()
  const search = useSearch()
  const returnTo = returnPath(search)
  const failure = loginFailure(search)
  const methods = useQuery<LoginMethods>({
    queryKey: ['login-methods'],
    queryFn: ({ signal }) => api.get('/login', { signal }),
  })
  useEffect(() => {
    document.title = 'Sign in · Caelus'
  }, [])
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <div className={classes.brand}>
          <Logo size={40} />
          <Title order={1}>Sign in to Caelus</Title>
          <Text c="dimmed" size="sm">
            One control plane for apps, clusters, runtimes, actions and edge.
          </Text>
        </div>
        {failure && (
          <Alert role="alert" color="red" title={failure.title} icon={<IconAlertTriangle size={18} aria-hidden />}>
            {failure.text}
            {failure.request && (
              <Text size="xs" mt={4}>
                request <Code>{failure.request}</Code>
              </Text>
            )}
          </Alert>
        )}
        <Paper withBorder radius="lg" p="lg" className={classes.form}>
          <Loaded query={methods} skeleton={<Skeleton height={150} />}>
            {(offered) => <Methods offered={offered} returnTo={returnTo} />}
          </Loaded>
        </Paper>
      </div>
    </main>
  )
}

function Methods({ offered, returnTo }: { readonly offered: LoginMethods; readonly returnTo: string }) {
  if (!offered.dev && !offered.oidc) {
    return (
      <Text size="sm">
        No way to sign in is configured. The operator can set up OpenID Connect, or open the console on the machine it
        runs on for the development login.
      </Text>
    )
  }
  return (
    <Stack gap="md">
      {offered.oidc && (
        <Button
          component="a"
          href={`/api/v1/login/oidc${queryText({ return_to: returnTo })}`}
          size="md"
          fullWidth
          leftSection={<IconLogin2 size={18} aria-hidden />}
        >
          Continue with single sign-on
        </Button>
      )}
      {offered.oidc && offered.dev && <Divider label="or" />}
      {offered.dev && <DevForm returnTo={returnTo} />}
    </Stack>
  )
}

function DevForm({ returnTo }: { readonly returnTo: string }) {
  const api = useApi()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [email, setEmail] = useState('admin@caelus.local')
  const [role, setRole] = useState<NonNullable<DevLogin['role']>>('admin')
  const login = useMutation({
    mutationFn: async () => {
      await api.post('/login/dev', { email, role } satisfies DevLogin)
      return api.get<Me>('/me')
    },
    onSuccess: (me) => {
      beginSession(queries, me)
      navigate(returnTo, { replace: true })
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        login.mutate()
      }}
    >
      <Stack gap="md">
        <TextInput
          label="Email"
          type="email"
          name="email"
          autoComplete="email"
          required
          data-autofocus
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <div>
          <Text size="sm" fw={500} mb={4} id="role-label">
            Role
          </Text>
          <SegmentedControl
            fullWidth
            aria-labelledby="role-label"
            value={role}
            onChange={setRole}
            data={[
              { value: 'admin', label: 'Admin' },
              { value: 'member', label: 'Member' },
            ]}
          />
        </div>
        {login.error && <ProblemView compact error={login.error} />}
        <Button type="submit" fullWidth size="md" loading={login.isPending}>
          Sign in
        </Button>
        <Text size="xs" c="dimmed">
          Development login: no password, and offered only to browsers on the machine itself.
        </Text>
      </Stack>
    </form>
  )
}
