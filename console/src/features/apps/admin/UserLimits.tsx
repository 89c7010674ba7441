import { Button, CloseButton, Group, List, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Loaded } from '../../../components/feedback/Loaded.tsx'
import { ProblemView } from '../../../components/feedback/ProblemView.tsx'
import type {
  DeploymentLimitUpdate,
  DeploymentLimitView,
  OwnedDomainCreate,
  OwnedDomainView,
  Page,
} from '../../../lib/api/contract.ts'
import { useResource } from '../../../lib/api/queries.ts'
import { api, TOPIC } from '../paths.ts'
import { useWrite } from '../use-write.ts'

interface UserLimitsProps {
  readonly user: { readonly id: string; readonly email: string }
  readonly onClose: () => void
}

/** What a user may order: how many apps, and which domains are theirs alone. */
export function UserLimits({ user: { id, email }, onClose }: UserLimitsProps) {
  const limit = useResource<DeploymentLimitView>(TOPIC, api.limit(id))
  return (
    <Modal opened onClose={onClose} title={`Limits of ${email}`} closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="lg">
        <Loaded query={limit}>{(view) => <Limit key={view.most} id={id} limit={view} />}</Loaded>
        <Domains id={id} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Done
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function Limit({ id, limit }: { readonly id: string; readonly limit: DeploymentLimitView }) {
  const [most, setMost] = useState(limit.is_default ? '' : String(limit.most))
  const change = useWrite<DeploymentLimitView, DeploymentLimitUpdate>((client, body, idempotencyKey) =>
    client.put(api.limit(id), body, { idempotencyKey }),
  )
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate({ most: most === '' ? null : Number(most) })
      }}
    >
      <Stack gap="xs">
        <Group align="flex-end" gap="xs">
          <TextInput
            label="Most apps"
            description={`Has ${limit.deployments}. Empty: the limit of the platform.`}
            inputMode="numeric"
            pattern="[0-9]{0,6}"
            placeholder={limit.is_default ? String(limit.most ?? 'no limit') : ''}
            value={most}
            onChange={(event) => setMost(event.currentTarget.value.trim())}
          />
          <Button type="submit" loading={change.isPending}>
            Set
          </Button>
        </Group>
        {change.error !== null && <ProblemView compact error={change.error} />}
      </Stack>
    </form>
  )
}

function Domains({ id }: { readonly id: string }) {
  const [suffix, setSuffix] = useState('')
  const domains = useResource<Page<OwnedDomainView>>(TOPIC, `/domains?user_id=${encodeURIComponent(id)}&limit=100`)
  const assign = useWrite<OwnedDomainView, OwnedDomainCreate>(
    (client, body, idempotencyKey) => client.post('/domains', body, { idempotencyKey }),
    () => setSuffix(''),
  )
  const remove = useWrite<void, string>((client, which) => client.delete(`/domains/${encodeURIComponent(which)}`))
  const error = assign.error ?? remove.error
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        assign.mutate({ suffix: suffix.trim(), user_id: id })
      }}
    >
      <Stack gap="xs">
        <Loaded query={domains}>
          {({ items }) =>
            items.length === 0 ? (
              <Text size="sm">No domain belongs to this user alone.</Text>
            ) : (
              <List size="sm" listStyleType="none">
                {items.map((domain) => (
                  <List.Item key={domain.suffix}>
                    <Group gap="xs">
                      {domain.suffix}
                      <CloseButton
                        size="sm"
                        aria-label={`Take ${domain.suffix} back`}
                        onClick={() => remove.mutate(domain.suffix)}
                      />
                    </Group>
                  </List.Item>
                ))}
              </List>
            )
          }
        </Loaded>
        <Group align="flex-end" gap="xs">
          <TextInput
            label="Domain"
            description="Only this user may order it and what is below it."
            placeholder="shop.example.com"
            value={suffix}
            onChange={(event) => setSuffix(event.currentTarget.value)}
          />
          <Button type="submit" loading={assign.isPending} disabled={suffix.trim() === ''}>
            Assign
          </Button>
        </Group>
        {error !== null && <ProblemView compact error={error} />}
      </Stack>
    </form>
  )
}
