import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconEye } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState, type ReactNode } from 'react'
import { refusalsOf, SchemaForm, useSchemaForm } from '../../components/forms/index.ts'
import type { JsonObject, Refusals } from '../../components/forms/index.ts'
import { Panel } from '../../components/detail/Panel.tsx'
import { PreviewDiff } from '../../components/insight/PreviewDiff.tsx'
import { ProblemView } from '../../components/feedback/ProblemView.tsx'
import { useApi } from '../../lib/api/context.tsx'
import type { ApiClient } from '../../lib/api/client.ts'
import type { DeploymentView, PreviewView, TemplateFormView } from '../../lib/api/contract.ts'
import { problemOf } from '../../lib/api/problem.ts'
import { domainProblem } from './domain.ts'
import { useWrite } from './use-write.ts'
import classes from './apps.module.css'

export interface Input {
  readonly domainname: string
  readonly user_values: JsonObject
}

interface SettingsEditorProps {
  readonly form: TemplateFormView
  /** Absent: a new one. */
  readonly before?: Pick<DeploymentView, 'domainname' | 'user_values' | 'secrets_set'>
  readonly preview: (api: ApiClient, input: Input) => Promise<PreviewView>
  readonly save: (api: ApiClient, input: Input, idempotencyKey: string) => Promise<DeploymentView>
  readonly onSaved: (saved: DeploymentView) => void
  readonly verb: string
  /** What else is chosen, above the domain. A change of it makes a preview outdated: `forget` drops that. */
  readonly renderChoice?: (forget: () => void) => ReactNode
}

/** Domain and settings, a look at exactly what would change, and only then the button that does it. */
export function SettingsEditor({ form, before, preview, save, onSaved, verb, renderChoice }: SettingsEditorProps) {
  const api = useApi()
  const element = useRef<HTMLFormElement>(null)
  const [domain, setDomain] = useState(before?.domainname ?? '')
  const [isDomainTouched, setDomainTouched] = useState(false)
  const [refusedDomain, setRefusedDomain] = useState<string>()

  const look = useMutation<PreviewView, unknown, Input>({
    mutationFn: (input) => preview(api, input),
    onError: (error) => refuse(error),
  })
  const write = useWrite<DeploymentView, Input>(save, onSaved)
  const forget = (): void => {
    if (!look.isIdle) look.reset()
    if (!write.isIdle) write.reset()
  }
  const settings = useSchemaForm({
    form,
    ...(before && { written: before.user_values as JsonObject, held: before.secrets_set }),
    onChange: forget,
  })
  const input: Input = { domainname: domain.trim(), user_values: settings.written }
  const wrongDomain = domainProblem(domain)

  /** What the server refuses is shown at its field, or beneath the form if it has none. */
  const refuse = (error: unknown): void => {
    const { fields, plain } = placesOf(error)
    settings.refuse(fields)
    setRefusedDomain(plain.get('domainname'))
    focusFirstError()
  }
  const focusFirstError = (): void => {
    requestAnimationFrame(() => element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
  }
  const submit = (): void => {
    settings.reveal()
    setDomainTouched(true)
    if (settings.invalid > 0 || wrongDomain !== undefined) return focusFirstError()
    look.mutate(input)
  }

  return (
    <form
      ref={element}
      className={classes.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack gap="md">
        <Panel title="Settings">
          <Stack gap="md">
            {renderChoice?.(forget)}
            <TextInput
              label="Domain"
              description="Under which it can be reached. It may be changed later."
              placeholder="shop.example.com"
              required
              inputMode="url"
              autoCapitalize="none"
              autoComplete="off"
              spellCheck={false}
              value={domain}
              error={refusedDomain ?? (isDomainTouched || domain.length > 3 ? wrongDomain : undefined)}
              onBlur={() => domain !== '' && setDomainTouched(true)}
              onChange={(event) => {
                setDomain(event.currentTarget.value)
                setRefusedDomain(undefined)
                forget()
              }}
            />
            <SchemaForm form={settings} enabled={form.enabled} />
          </Stack>
        </Panel>
        {look.data && (
          <Panel title="What would change">
            <PreviewDiff preview={look.data} />
          </Panel>
        )}
        {look.error !== null && !isAtFields(look.error) && <ProblemView compact error={look.error} />}
        {[look.error, write.error].some((error) => error !== null && isAtFields(error)) && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            The server refused what is marked above.
          </Text>
        )}
        {write.error !== null && !isAtFields(write.error) && <ProblemView compact error={write.error} />}
        <Group justify="flex-end" gap="xs">
          <Button
            type="submit"
            variant={look.data ? 'default' : 'filled'}
            leftSection={<IconEye size={16} aria-hidden />}
            loading={look.isPending}
          >
            {look.data ? 'Preview again' : 'Preview'}
          </Button>
          {look.data && (
            <Button loading={write.isPending} onClick={() => write.mutate(input, { onError: refuse })}>
              {verb}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

/** Where on the screen a refusal belongs. */
const placesOf = (error: unknown): Refusals => refusalsOf(problemOf(error))

/** Whether everything that was refused has a place in the form. */
function isAtFields(error: unknown): boolean {
  const { fields, plain } = placesOf(error)
  const others = [...plain.keys()].filter((name) => name !== 'domainname')
  return others.length === 0 && (fields.size > 0 || plain.size > 0)
}
