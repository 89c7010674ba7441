import { Alert, Button, Group, NumberInput, Stack, Switch, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconEyeOff, IconFileSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { DetailPage } from '../../../components/detail/DetailPage.tsx'
import { Facts } from '../../../components/detail/Facts.tsx'
import { refusalsOf, SchemaForm, useSchemaForm } from '../../../components/forms/index.ts'
import { Panel } from '../../../components/detail/Panel.tsx'
import { ProblemView } from '../../../components/feedback/ProblemView.tsx'
import type { ChartLocation, ChartView, ProductView, TemplateCreate, TemplateView } from '../../../lib/api/contract.ts'
import { problemOf } from '../../../lib/api/problem.ts'
import { useResource } from '../../../lib/api/queries.ts'
import { fieldText } from '../../../lib/diff-lines.ts'
import { api, pages, TOPIC } from '../paths.ts'
import { useWrite } from '../use-write.ts'
import { Findings } from './Findings.tsx'
import { GrantReview } from './GrantReview.tsx'
import { grantNamed, problemsIn } from './grants.ts'
import { signerText } from './signer.ts'
import { EMPTY_DRAFT, objectIn, requestOf, rulesIn, type ValuesDraft } from './values-draft.ts'
import { ValuesFields } from './ValuesFields.tsx'

/** From a chart to something that can be ordered: read it, see what tenants will see, publish it. */
export function PublishPage({ productId }: { readonly productId: string }) {
  const query = useResource<ProductView>(TOPIC, api.product(productId))
  return (
    <DetailPage
      list={{ label: query.data?.name ?? 'Product', href: pages.productAdmin(productId) }}
      kind="template"
      name={`Publish a template of ${query.data?.name ?? productId}`}
      query={query}
    >
      {(product) => <Publish product={product} />}
    </DetailPage>
  )
}

function Publish({ product }: { readonly product: ProductView }) {
  const [ref, setRef] = useState('')
  const [version, setVersion] = useState('')
  const [draft, setDraft] = useState(EMPTY_DRAFT)
  const inspect = useWrite<ChartView, ChartLocation>((client, location) => client.post('/charts:inspect', location))
  const location: ChartLocation = { chart_ref: ref.trim(), chart_version: version.trim(), ...requestOf(draft) }
  const change = (set: (text: string) => void) => (event: React.ChangeEvent<HTMLInputElement>) => {
    set(event.currentTarget.value)
    inspect.reset()
  }
  return (
    <Stack gap="md">
      <Panel title="1. The chart">
        <form
          onSubmit={(event) => {
            event.preventDefault()
            inspect.mutate(location)
          }}
        >
          <Stack gap="md">
            <Group align="flex-start" grow preventGrowOverflow={false}>
              <TextInput
                label="Chart"
                description="oci://…, https://…, or a path in development."
                placeholder="oci://registry.example.com/charts/shop"
                required
                spellCheck={false}
                autoComplete="off"
                value={ref}
                onChange={change(setRef)}
              />
              <TextInput
                label="Version"
                description="Exactly this one; its digest is pinned."
                placeholder="1.4.2"
                required
                maw={220}
                value={version}
                onChange={change(setVersion)}
              />
            </Group>
            <ValuesFields
              draft={draft}
              onChange={(next) => {
                setDraft(next)
                inspect.reset()
              }}
            />
            {inspect.error !== null && <ProblemView compact error={inspect.error} />}
            <Group justify="flex-end">
              <Button
                type="submit"
                variant={inspect.data ? 'default' : 'filled'}
                leftSection={<IconFileSearch size={16} aria-hidden />}
                loading={inspect.isPending}
                disabled={ref.trim() === '' || version.trim() === '' || !isReadable(draft)}
              >
                Read the chart
              </Button>
            </Group>
          </Stack>
        </form>
      </Panel>
      {inspect.data && <Chart key={inspect.data.digest} product={product} chart={inspect.data} location={location} />}
    </Stack>
  )
}

const isReadable = ({ values, plan, driftIgnore }: ValuesDraft): boolean =>
  objectIn(values) !== undefined && objectIn(plan) !== undefined && rulesIn(driftIgnore) !== undefined

interface ChartProps {
  readonly product: ProductView
  readonly chart: ChartView
  readonly location: ChartLocation
}

function Chart({ product, chart, location }: ChartProps) {
  const [, go] = useLocation()
  const form = useSchemaForm({ form: chart.form })
  const [label, setLabel] = useState('')
  const [timeout, setTimeout] = useState<number | string>(600)
  const [isCanonical, setCanonical] = useState(true)
  const [isInsisting, setInsisting] = useState(false)
  const [granted, setGranted] = useState<ReadonlySet<string>>(new Set())
  const isUnusable = chart.inspection !== null && problemsIn(chart.inspection, granted).length > 0
  const publish = useWrite<TemplateView, TemplateCreate>(
    async (client, body, idempotencyKey) => {
      const template = await client.post<TemplateView>(api.templates(product.id), body, { idempotencyKey })
      if (isCanonical) await client.put(api.canonical(product.id), { template_id: template.id })
      return template
    },
    () => {
      notifications.show({ message: `${product.name} ${chart.version} is published` })
      go(pages.productAdmin(product.id))
    },
  )
  return (
    <>
      <Panel title="2. What it says about itself">
        <Facts
          facts={[
            ['Name', chart.name],
            ['Version', chart.version],
            ['App version', chart.app_version ?? '—'],
            ['Description', chart.description ?? '—'],
            ['Digest', <code key="digest">{chart.digest}</code>],
            ['Signed by', signerText(chart.signed_by)],
          ]}
        />
      </Panel>
      {chart.problems.length > 0 && (
        <Alert color="red" variant="light" title="It cannot be published like this">
          <ul style={{ margin: 0, paddingLeft: '1.2em' }}>
            {chart.problems.map(({ field, message }) => (
              <li key={`${field} ${message}`}>
                <code>{field}</code> {message}
              </li>
            ))}
          </ul>
        </Alert>
      )}
      {chart.problems.length === 0 && (
        <Panel title="3. What an order of it would make">
          <Stack gap="md">
            <Findings inspection={chart.inspection} granted={granted} />
            {chart.inspection !== null && (
              <GrantReview inspection={chart.inspection} granted={granted} onChange={setGranted} />
            )}
          </Stack>
        </Panel>
      )}
      <Panel
        title="4. The form, as tenants will see it"
        aside={
          <Text size="xs" c="dimmed">
            Try it: nothing is saved
          </Text>
        }
      >
        <Stack gap="md">
          <SchemaForm form={form} enabled={chart.form.enabled} />
          {chart.form.hidden.length > 0 && (
            <Alert variant="default" icon={<IconEyeOff size={18} aria-hidden />} title="Not in the form">
              <ul style={{ margin: 0, paddingLeft: '1.2em' }}>
                {chart.form.hidden.map(({ pointer, why }) => (
                  <li key={pointer}>
                    <code>{fieldText(pointer)}</code>: {why}
                  </li>
                ))}
              </ul>
            </Alert>
          )}
        </Stack>
      </Panel>
      <Panel title="5. Publish">
        <form
          onSubmit={(event) => {
            event.preventDefault()
            publish.mutate({
              ...location,
              chart_digest: chart.digest,
              ...(label.trim() !== '' && { version_label: label.trim() }),
              ...(typeof timeout === 'number' && { health_timeout_sec: timeout }),
              ...(granted.size > 0 && { grants: [...granted].map(grantNamed) }),
              ...(isInsisting && { accept_problems: true }),
            })
          }}
        >
          <Stack gap="md">
            <Group align="flex-start" grow>
              <TextInput
                label="Label"
                description="What tenants and admins call this version."
                placeholder={chart.version}
                maxLength={100}
                value={label}
                error={
                  publish.error === null ? undefined : refusalsOf(problemOf(publish.error)).plain.get('version_label')
                }
                onChange={(event) => setLabel(event.currentTarget.value)}
              />
              <NumberInput
                label="Time to get healthy"
                description="After this long an install or upgrade has failed."
                suffix=" s"
                min={10}
                max={7200}
                value={timeout}
                onChange={setTimeout}
              />
            </Group>
            <Switch
              label="New orders get it from now on"
              description="Makes it the canonical template."
              checked={isCanonical}
              onChange={(event) => setCanonical(event.currentTarget.checked)}
            />
            {isUnusable && (
              <Switch
                color="red"
                label="Publish it although every order would fail"
                checked={isInsisting}
                onChange={(event) => setInsisting(event.currentTarget.checked)}
              />
            )}
            {publish.error !== null && <ProblemView compact error={publish.error} />}
            <Group justify="flex-end">
              <Button
                type="submit"
                loading={publish.isPending}
                disabled={chart.problems.length > 0 || (isUnusable && !isInsisting)}
              >
                Publish
              </Button>
            </Group>
          </Stack>
        </form>
      </Panel>
    </>
  )
}
