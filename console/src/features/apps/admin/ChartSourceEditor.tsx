import { Button, Group, Modal, PasswordInput, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ProblemView } from '../../../components/feedback/ProblemView.tsx'
import { refusalsOf } from '../../../components/forms/index.ts'
import type { ChartSourcePut, ChartSourceView } from '../../../lib/api/contract.ts'
import { problemOf } from '../../../lib/api/problem.ts'
import { api } from '../paths.ts'
import { useWrite } from '../use-write.ts'

interface ChartSourceEditorProps {
  /** Absent: a new one. */
  readonly source?: ChartSourceView
  readonly onClose: () => void
}

export function ChartSourceEditor({ source, onClose }: ChartSourceEditorProps) {
  const [host, setHost] = useState(source?.host ?? '')
  const [username, setUsername] = useState(source?.username ?? '')
  const [password, setPassword] = useState('')
  const [ca, setCa] = useState(source?.ca ?? '')
  const [isVerified, setVerified] = useState(source?.verification === 'required')
  const [keyring, setKeyring] = useState(source?.keyring ?? '')
  const save = useWrite<ChartSourceView, ChartSourcePut>(
    (client, body) => client.put(api.chartSource(host.trim()), body),
    onClose,
  )
  const refused = save.error === null ? undefined : refusalsOf(problemOf(save.error)).plain
  return (
    <Modal
      opened
      onClose={onClose}
      title={source ? `Edit ${source.host}` : 'New source'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate({
            username: username.trim() || null,
            ...(password !== '' && { password }),
            ca: ca.trim() || null,
            verification: isVerified ? 'required' : 'none',
            keyring: keyring.trim() || null,
          })
        }}
      >
        <Stack gap="md">
          <TextInput
            label="Host"
            description="As in the address of a chart, with the port if it names one."
            placeholder="registry.example.com"
            required
            disabled={source !== undefined}
            spellCheck={false}
            autoComplete="off"
            data-autofocus
            value={host}
            error={refused?.get('host')}
            onChange={(event) => setHost(event.currentTarget.value)}
          />
          <TextInput
            label="User"
            description="Without one, requests are anonymous."
            spellCheck={false}
            autoComplete="off"
            value={username}
            error={refused?.get('username')}
            onChange={(event) => setUsername(event.currentTarget.value)}
          />
          <PasswordInput
            label="Password"
            description={source?.username ? 'Empty: the stored one is kept.' : 'It is stored sealed and never shown.'}
            autoComplete="new-password"
            value={password}
            error={refused?.get('password')}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Textarea
            label="Certificate authorities"
            description="In PEM, for a host that the usual ones do not vouch for."
            autosize
            minRows={2}
            maxRows={8}
            spellCheck={false}
            value={ca}
            error={refused?.get('ca')}
            onChange={(event) => setCa(event.currentTarget.value)}
          />
          <Switch
            label="Charts must be signed"
            description="By a key below, or of the platform. Charts that were fetched before are verified, too."
            checked={isVerified}
            onChange={(event) => setVerified(event.currentTarget.checked)}
          />
          <Textarea
            label="Keys that sign"
            description="Public OpenPGP keys in ASCII armor. Empty: those of the platform."
            autosize
            minRows={2}
            maxRows={8}
            spellCheck={false}
            value={keyring}
            error={refused?.get('keyring')}
            onChange={(event) => setKeyring(event.currentTarget.value)}
          />
          {save.error !== null && <ProblemView compact error={save.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending} disabled={host.trim() === ''}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
