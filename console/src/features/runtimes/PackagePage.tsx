import { Button, FileButton, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { IconEye, IconUpload } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { Page } from '../../components/page/Page.tsx'
import { Panel } from '../../components/detail/Panel.tsx'
import { ProblemView } from '../../components/feedback/ProblemView.tsx'
import { ResourceTable } from '../../components/list/ResourceTable.tsx'
import type { ListColumn } from '../../components/list/ResourceTable.tsx'
import { StatusLabel } from '../../components/feedback/StatusLabel.tsx'
import type { PackageApply, PackageAppliedView } from '../../lib/api/contract.ts'
import { WayBack } from './CreatePage.tsx'
import { changeText, packageSummary } from './package-words.ts'
import { api, pages } from './paths.ts'
import { useWrite } from './use-write.ts'

/** What developers write becomes one runtime for each of its deployments; looked at before it is done. */
export function PackagePage() {
  const [source, setSource] = useState('')
  const [namespace, setNamespace] = useState('default')
  const [environment, setEnvironment] = useState('')
  const apply = useWrite<PackageAppliedView, PackageApply>((client, wish, idempotencyKey) =>
    client.post(api.applyPackage, wish, { idempotencyKey }),
  )
  const wish = (dryRun: boolean): PackageApply => ({
    package: source,
    ...(namespace.trim() !== '' && { namespace: namespace.trim() }),
    ...(environment.trim() !== '' && { environment: environment.trim() }),
    dry_run: dryRun,
  })
  const isDone = apply.data !== undefined && apply.variables?.dry_run === false
  const changed =
    <T,>(set: (value: T) => void) =>
    (value: T): void => {
      set(value)
      if (!apply.isIdle) apply.reset()
    }
  return (
    <Page
      title="Apply a package"
      above={<WayBack here="package" />}
      description="An OPackage with classes, functions and deployments. Each deployment becomes a runtime."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          apply.mutate(wish(true))
        }}
      >
        <Stack gap="md" maw={860}>
          <Panel title="Package">
            <Stack gap="md">
              <Textarea
                label="YAML"
                description="Pasted, or read from a file."
                required
                autosize
                minRows={12}
                maxRows={28}
                spellCheck={false}
                styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12.5 } }}
                value={source}
                onChange={(event) => changed(setSource)(event.currentTarget.value)}
              />
              <FileButton accept=".yaml,.yml,.json" onChange={(file) => void file?.text().then(changed(setSource))}>
                {(props) => (
                  <Button
                    {...props}
                    size="xs"
                    variant="default"
                    w="fit-content"
                    leftSection={<IconUpload size={14} aria-hidden />}
                  >
                    Read a file
                  </Button>
                )}
              </FileButton>
              <Group grow align="flex-start">
                <TextInput
                  label="Namespace"
                  description="Where its runtimes are made."
                  value={namespace}
                  onChange={(event) => changed(setNamespace)(event.currentTarget.value)}
                />
                <TextInput
                  label="Environment"
                  description="Deployments for this one only. Nothing: all."
                  value={environment}
                  onChange={(event) => changed(setEnvironment)(event.currentTarget.value)}
                />
              </Group>
            </Stack>
          </Panel>
          {apply.data && <Result result={apply.data} isDone={isDone} />}
          {apply.error !== null && <ProblemView compact error={apply.error} />}
          <Group justify="flex-end" gap="xs">
            <Button
              type="submit"
              variant={apply.data ? 'default' : 'filled'}
              leftSection={<IconEye size={16} aria-hidden />}
              loading={apply.isPending}
              disabled={source.trim() === ''}
            >
              {apply.data ? 'Preview again' : 'Preview'}
            </Button>
            {apply.data && !isDone && (
              <Button loading={apply.isPending} onClick={() => apply.mutate(wish(false))}>
                Apply
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Page>
  )
}

type Item = PackageAppliedView['items'][number]

function Result({
  result: { items, skipped },
  isDone,
}: {
  readonly result: PackageAppliedView
  readonly isDone: boolean
}) {
  return (
    <Panel title={isDone ? 'What was done' : 'What would change'} flush={items.length > 0}>
      <Text size="sm" fw={600} role="status" p={items.length > 0 ? 'md' : 0}>
        {packageSummary(items, isDone)}
      </Text>
      {items.length > 0 && (
        <ResourceTable
          label="runtimes of the package"
          rows={items}
          columns={columns(isDone)}
          rowKey={(row) => row.id}
        />
      )}
      {skipped.map(({ deployment_key: key, because }) => (
        <Text key={key} size="xs" c="dimmed" px={items.length > 0 ? 'md' : 0} py={6}>
          {key} is left out: {because}
        </Text>
      ))}
    </Panel>
  )
}

const columns = (isDone: boolean): readonly ListColumn<Item>[] => [
  {
    id: 'runtime',
    label: 'Runtime',
    value: (row) => row.id,
    render: (row) => (isDone ? <Link href={pages.runtime(row)}>{row.id}</Link> : row.id),
  },
  { id: 'deployment', label: 'Deployment', value: (row) => row.deployment_key },
  {
    id: 'change',
    label: 'Change',
    value: (row) => row.change,
    render: (row) => (
      <StatusLabel tone={row.change === 'unchanged' ? 'info' : 'good'}>{changeText(row.change, isDone)}</StatusLabel>
    ),
    width: 200,
  },
]
