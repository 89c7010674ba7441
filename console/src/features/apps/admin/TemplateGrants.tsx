import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { JsonView } from '../../../components/detail/JsonView.tsx'
import { Age } from '../../../components/feedback/Age.tsx'
import { ProblemView } from '../../../components/feedback/ProblemView.tsx'
import type { GrantsCreate, TemplateView } from '../../../lib/api/contract.ts'
import { api } from '../paths.ts'
import { templateName } from '../template-name.ts'
import { useWrite } from '../use-write.ts'
import { grantKey, grantNamed, offersIn } from './grants.ts'

interface TemplateGrantsProps {
  readonly template: TemplateView
  readonly onClose: () => void
}

/** What releases of a template may have of the whole cluster, and what they could be granted. */
export function TemplateGrants({ template, onClose }: TemplateGrantsProps) {
  const path = `${api.template(template.product_id, template.id)}/grants`
  const revoke = useWrite<void, string>((client, id) => client.delete(`${path}/${encodeURIComponent(id)}`))
  const grant = useWrite<TemplateView, GrantsCreate>((client, body, idempotencyKey) =>
    client.post(path, body, { idempotencyKey }),
  )
  const standing = template.grants.filter(({ revoked_at }) => revoked_at === null)
  const keys = new Set(standing.map(grantKey))
  const offers = template.inspection === null ? [] : offersIn(template.inspection)
  const open = offers.filter((offer) => !keys.has(grantKey(offer)))
  const error = revoke.error ?? grant.error
  const isPending = revoke.isPending || grant.isPending
  return (
    <Modal
      opened
      size="lg"
      onClose={onClose}
      title={`Grants of ${templateName(template)}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="md">
        <Text size="sm">
          Objects of the whole cluster that releases of this template may have, exactly as shown. Once a grant is
          revoked, what releases have of it stays as it is, and their next change is refused.
        </Text>
        {standing.length === 0 && open.length === 0 && (
          <Text size="sm" c="dimmed">
            Nothing is granted, and the chart has nothing that could be.
          </Text>
        )}
        {standing.map((one) => (
          <Stack key={one.id} gap="xs">
            <Group justify="space-between">
              <Text size="sm">
                <code>{grantKey(one)}</code> granted <Age since={one.granted_at} /> ago
              </Text>
              <Button
                size="xs"
                color="red"
                variant="light"
                disabled={isPending}
                aria-label={`Revoke ${grantKey(one)}`}
                onClick={() => revoke.mutate(one.id)}
              >
                Revoke
              </Button>
            </Group>
            <JsonView label={grantKey(one)} value={one.objects.length === 1 ? one.objects[0] : one.objects} />
          </Stack>
        ))}
        {open.map((offer) => (
          <Stack key={grantKey(offer)} gap="xs">
            <Group justify="space-between">
              <Text size="sm">
                <code>{grantKey(offer)}</code> is not granted
              </Text>
              <Button
                size="xs"
                variant="default"
                disabled={isPending}
                aria-label={`Grant ${grantKey(offer)}`}
                onClick={() => grant.mutate({ grants: [grantNamed(grantKey(offer))] })}
              >
                Grant
              </Button>
            </Group>
            {offer.risks.length > 0 && (
              <Text size="xs" c="dimmed">
                {offer.risks.join('; ')}
              </Text>
            )}
            <JsonView label={grantKey(offer)} value={offer.objects.length === 1 ? offer.objects[0] : offer.objects} />
          </Stack>
        ))}
        {error !== null && <ProblemView compact error={error} />}
      </Stack>
    </Modal>
  )
}
