import { Accordion, Group, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { objectIn, type ValuesDraft } from './values-draft.ts'

export interface ValuesFieldsProps {
  readonly draft: ValuesDraft
  readonly onChange: (draft: ValuesDraft) => void
}

const NO_OBJECT = 'must be an object in JSON, such as {"rbac":{"create":false}}'

/** Where in the values of the chart the platform and the tenant write, and what the template sets itself. */
export function ValuesFields({ draft, onChange }: ValuesFieldsProps) {
  const text = (name: 'values' | 'domainPaths' | 'ingressClassPaths' | 'plan') => ({
    value: draft[name],
    spellCheck: false,
    onChange: (event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      onChange({ ...draft, [name]: event.currentTarget.value }),
  })
  const toggle = (name: 'tellsIngressClass' | 'tellsCaelus' | 'atRoot') => ({
    checked: draft[name],
    onChange: (event: React.ChangeEvent<HTMLInputElement>) =>
      onChange({ ...draft, [name]: event.currentTarget.checked }),
  })
  return (
    <Accordion variant="contained">
      <Accordion.Item value="values">
        <Accordion.Control>Values, and where things go in them</Accordion.Control>
        <Accordion.Panel>
          <Stack gap="md">
            <Textarea
              label="Values of the template"
              description="Laid over those of the chart, in JSON."
              placeholder='{"rbac":{"create":false}}'
              autosize
              minRows={2}
              error={objectIn(draft.values) === undefined ? NO_OBJECT : undefined}
              {...text('values')}
            />
            <Group align="flex-start" grow>
              <TextInput
                label="The domain goes to"
                description="With commas between several."
                placeholder="ingress.host"
                {...text('domainPaths')}
              />
              <TextInput
                label="The ingress class goes to"
                description="With commas between several."
                placeholder="ingress.className"
                disabled={!draft.tellsIngressClass}
                {...text('ingressClassPaths')}
              />
            </Group>
            <Switch label="Tell it the ingress class" {...toggle('tellsIngressClass')} />
            <Switch
              label="Tell it caelus.*"
              description="Id, name and namespace of the deployment, and the plan."
              {...toggle('tellsCaelus')}
            />
            <Textarea
              label="Plan"
              description="What it is told as caelus.plan, in JSON."
              placeholder='{"storageSize":"5Gi"}'
              autosize
              disabled={!draft.tellsCaelus}
              error={objectIn(draft.plan) === undefined ? NO_OBJECT : undefined}
              {...text('plan')}
            />
            <Switch
              label="Settings at the root of the values"
              description="The schema is that of what tenants may set, and not under user."
              {...toggle('atRoot')}
            />
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  )
}
