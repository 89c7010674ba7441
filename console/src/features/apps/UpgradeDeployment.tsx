import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { refusalsOf } from '../../components/forms/index.ts'
import { Loaded } from '../../components/feedback/Loaded.tsx'
import { PreviewDiff } from '../../components/insight/PreviewDiff.tsx'
import { ProblemView } from '../../components/feedback/ProblemView.tsx'
import type { DeploymentView, Page, PreviewView, TemplateView } from '../../lib/api/contract.ts'
import { problemOf } from '../../lib/api/problem.ts'
import { useResource } from '../../lib/api/queries.ts'
import { api, TOPIC } from './paths.ts'
import { templateName } from './template-name.ts'
import { useWrite } from './use-write.ts'

interface UpgradeDeploymentProps {
  readonly deployment: DeploymentView
  readonly onClose: () => void
}

/** Another template of the same product, chosen by an admin, with what it would change before it does. */
export function UpgradeDeployment({ deployment, onClose }: UpgradeDeploymentProps) {
  const templates = useResource<Page<TemplateView>>(TOPIC, `${api.templates(deployment.product.id)}?limit=200`)
  return (
    <Modal
      opened
      size="xl"
      onClose={onClose}
      title={`Upgrade ${deployment.domainname}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Loaded query={templates}>
        {({ items }) => <Choice deployment={deployment} templates={items} onClose={onClose} />}
      </Loaded>
    </Modal>
  )
}

interface ChoiceProps extends UpgradeDeploymentProps {
  readonly templates: readonly TemplateView[]
}

function Choice({ deployment, templates, onClose }: ChoiceProps) {
  const path = api.deployment(deployment)
  const offered = deployment.upgrade_available?.template_id ?? null
  const [chosen, setChosen] = useState(offered)
  const preview = useWrite<PreviewView, string>((client, template_id) =>
    client.post(`${path}:preview`, { template_id }),
  )
  const upgrade = useWrite<DeploymentView, string>(
    (client, template_id, idempotencyKey) =>
      client.patch(path, { template_id }, { idempotencyKey, ifMatch: `"${deployment.generation}"` }),
    onClose,
  )
  const { mutate: look } = preview
  useEffect(() => {
    if (chosen !== null) look(chosen)
  }, [look, chosen])
  const error = preview.error ?? upgrade.error
  const others = templates.filter(({ id }) => id !== deployment.desired_template_id)
  if (others.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        There is no other template of {deployment.product.name}. Publish one first.
      </Text>
    )
  }
  return (
    <Stack gap="md">
      <Select
        label="Template"
        placeholder="Choose one"
        data={others.map((template) => ({ value: template.id, label: optionName(template, offered) }))}
        value={chosen}
        allowDeselect={false}
        error={error === null ? undefined : refusalsOf(problemOf(error)).plain.get('template_id')}
        data-autofocus
        onChange={setChosen}
      />
      {preview.data && <PreviewDiff preview={preview.data} />}
      {error !== null && <ProblemView compact error={error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          disabled={chosen === null || !preview.data}
          loading={preview.isPending || upgrade.isPending}
          onClick={() => chosen !== null && upgrade.mutate(chosen)}
        >
          Upgrade
        </Button>
      </Group>
    </Stack>
  )
}

const optionName = (template: TemplateView, offered: string | null): string =>
  template.id === offered ? `${templateName(template)}, offered` : templateName(template)
