import { Text } from '@mantine/core'
import { Facts } from '../../components/detail/Facts.tsx'
import { Loaded } from '../../components/feedback/Loaded.tsx'
import { Panel } from '../../components/detail/Panel.tsx'
import type { DeploymentView, TemplateFormView } from '../../lib/api/contract.ts'
import { useResource } from '../../lib/api/queries.ts'
import { api, TOPIC } from './paths.ts'
import { writtenFacts } from './written-facts.ts'
import classes from './WrittenValues.module.css'

/** What the tenant has set, by the names the form has for it. The rest is as the template gives it. */
export function WrittenValues({ deployment }: { readonly deployment: DeploymentView }) {
  const form = useResource<TemplateFormView>(TOPIC, api.form(deployment.desired_template_id))
  return (
    <Panel title="Settings">
      <Loaded query={form}>
        {({ ui_hints: hints }) => {
          const facts = writtenFacts(deployment.user_values, deployment.secrets_set, hints)
          return facts.length === 0 ? (
            <Text size="sm" c="dimmed">
              Everything is as the product gives it.
            </Text>
          ) : (
            <Facts
              facts={facts.map(({ title, text }) => [
                title,
                text === undefined ? (
                  <Text key="secret" span size="sm" c="dimmed">
                    stored, never shown
                  </Text>
                ) : (
                  <span key="text" className={classes.text}>
                    {text}
                  </span>
                ),
              ])}
            />
          )
        }}
      </Loaded>
    </Panel>
  )
}
