import { Accordion, Group, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { objectIn, rulesIn, type ValuesDraft } from './values-draft.ts'

export interface ValuesFieldsProps {
  readonly draft: ValuesDraft
  readonly onChange: (draft: ValuesDraft) => void
}

const NO_OBJECT = 'must be an object in JSON, such as {"rbac":{"create":false}}'

const RULES = '[{"kind":"Deployment","paths":["/spec/replicas"]}]'

/** Where in the values of the chart the platform and the tenant write, and what the template sets itself. */
export function ValuesFields({ draft, onChange }: ValuesFieldsProps) {
  const text = (name: 'values' | 'domainPaths' | 'ingressClassPaths' | 'plan' | 'driftIgnore') => ({
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
              description="The value of caelus.plan, in JSON."
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
      <Accordion.Item value="drift">
        <Accordion.Control>Drift to ignore</Accordion.Control>
        <Accordion.Panel>
          <Textarea
            label="Fields that are left to others"
            description="A list of rules in JSON, with JSON pointers; * is any one segment. They are neither repaired nor changed by upgrades while another field manager owns them."
            placeholder={RULES}
            autosize
            minRows={2}
            error={rulesIn(draft.driftIgnore) === undefined ? `must be a list in JSON, such as ${RULES}` : undefined}
            {...text('driftIgnore')}
          />
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  )
}
