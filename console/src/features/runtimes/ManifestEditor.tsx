import { Button, Group, Stack } from '@mantine/core'
import { IconEye } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useMemo, useRef } from 'react'
import { SchemaForm, useSchemaForm } from '../../components/forms/index.ts'
import type { JsonObject } from '../../components/forms/index.ts'
import { Panel } from '../../components/detail/Panel.tsx'
import { ProblemView } from '../../components/feedback/ProblemView.tsx'
import type { ApiClient } from '../../lib/api/client.ts'
import { useApi } from '../../lib/api/context.tsx'
import type { RuntimeManifest, RuntimePreviewView, RuntimeSpec, RuntimeView } from '../../lib/api/contract.ts'
import { problemOf } from '../../lib/api/problem.ts'
import { manifestForm, manifestOf, placesOf } from './manifest-form.ts'
import { api as paths } from './paths.ts'
import type { RuntimeRef } from './paths.ts'
import { RuntimePreview } from './RuntimePreview.tsx'
import { useWrite } from './use-write.ts'

interface ManifestEditorProps {
  /** Absent: a new one. */
  readonly before?: RuntimeRef & { readonly spec: RuntimeSpec }
  readonly save: (api: ApiClient, manifest: RuntimeManifest, idempotencyKey: string) => Promise<RuntimeView>
  readonly onSaved: (saved: RuntimeView) => void
  readonly verb: string
}

/** The common fields, a look at which objects would change, and only then the button that does it. */
export function ManifestEditor({ before, save, onSaved, verb }: ManifestEditorProps) {
  const api = useApi()
  const element = useRef<HTMLFormElement>(null)
  const view = useMemo(() => manifestForm(before?.spec), [before])
  const look = useMutation<RuntimePreviewView, unknown, RuntimeManifest>({
    mutationFn: (manifest) => api.post(paths.preview, manifest),
    onSuccess: ({ problems }) => refuse(problems),
    onError: (error) => refuse(problemOf(error).errors ?? []),
  })
  const write = useWrite<RuntimeView, RuntimeManifest>(save, onSaved)
  const form = useSchemaForm({
    form: view,
    ...(before && { written: before.spec as JsonObject }),
    onChange: () => {
      if (!look.isIdle) look.reset()
      if (!write.isIdle) write.reset()
    },
  })
  const manifest = manifestOf(form.written, before)
  const error = write.error ?? look.error
  const isPossible = look.data !== undefined && look.data.problems.length === 0

  /** What is refused is shown at its field, or beneath the form if it has none. */
  const refuse = (problems: RuntimePreviewView['problems']): void => {
    form.refuse(placesOf(problems))
    if (problems.length > 0) focusFirstError()
  }
  const focusFirstError = (): void => {
    requestAnimationFrame(() => element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
  }
  const submit = (): void => {
    form.reveal()
    if (form.invalid > 0) return focusFirstError()
    look.mutate(manifest)
  }
  return (
    <form
      ref={element}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack gap="md" maw={860}>
        <Panel title="Settings">
          <SchemaForm form={form} enabled />
        </Panel>
        {look.data && (
          <Panel title="What would change">
            <RuntimePreview preview={look.data} />
          </Panel>
        )}
        {error !== null && <ProblemView compact error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button
            type="submit"
            variant={isPossible ? 'default' : 'filled'}
            leftSection={<IconEye size={16} aria-hidden />}
            loading={look.isPending}
          >
            {look.data ? 'Preview again' : 'Preview'}
          </Button>
          {isPossible && (
            <Button
              loading={write.isPending}
              onClick={() => write.mutate(manifest, { onError: (refusal) => refuse(problemOf(refusal).errors ?? []) })}
            >
              {verb}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}
