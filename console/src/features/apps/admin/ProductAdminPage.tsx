import { Anchor, Badge, Button, Text } from '@mantine/core'
import { IconPencil, IconTemplate, IconUpload } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { Age } from '../../../components/feedback/Age.tsx'
import { Column } from '../../../components/page/Columns.tsx'
import { DeleteButton } from '../../../components/delete/DeleteButton.tsx'
import { DetailPage } from '../../../components/detail/DetailPage.tsx'
import { Empty } from '../../../components/feedback/Empty.tsx'
import { Facts } from '../../../components/detail/Facts.tsx'
import { Panel } from '../../../components/detail/Panel.tsx'
import { ProblemView } from '../../../components/feedback/ProblemView.tsx'
import { ageColumn, menuColumn } from '../../../components/list/list-columns.tsx'
import { ResourceList } from '../../../components/list/ResourceList.tsx'
import type { ListColumn } from '../../../components/list/ResourceTable.tsx'
import type { ProductView, TemplateView } from '../../../lib/api/contract.ts'
import { useResource } from '../../../lib/api/queries.ts'
import { api, pages, TOPIC } from '../paths.ts'
import { ProductIcon } from '../ProductIcon.tsx'
import { templateName } from '../template-name.ts'
import { useWrite } from '../use-write.ts'
import { DeleteProduct } from './DeleteProduct.tsx'
import { signerText } from './signer.ts'
import { ProductEditor } from './ProductEditor.tsx'
import { TemplateGrants } from './TemplateGrants.tsx'

/** A product as those see it who publish it. */
export function ProductAdminPage({ productId }: { readonly productId: string }) {
  const query = useResource<ProductView>(TOPIC, api.product(productId))
  const [dialog, setDialog] = useState<'edit' | 'delete'>()
  const close = (): void => setDialog(undefined)
  return (
    <>
      <DetailPage
        list={{ label: 'Products', href: pages.products }}
        kind="product"
        name={query.data?.name ?? productId}
        query={query}
        renderActions={() => (
          <>
            <Button component={Link} href={pages.publish(productId)} leftSection={<IconUpload size={16} aria-hidden />}>
              Publish a template
            </Button>
            <Button
              variant="default"
              leftSection={<IconPencil size={16} aria-hidden />}
              onClick={() => setDialog('edit')}
            >
              Edit
            </Button>
            <DeleteButton onClick={() => setDialog('delete')} />
          </>
        )}
      >
        {(product) => (
          <Column>
            <Panel title="About">
              <div style={{ display: 'flex', gap: 20 }}>
                <ProductIcon name={product.name} icon={product.icon} size={64} />
                <div style={{ flex: 1 }}>
                  <Text size="sm" mb="sm" style={{ whiteSpace: 'pre-line' }}>
                    {product.description ?? 'No description.'}
                  </Text>
                  <Facts
                    facts={[
                      [
                        'In the catalogue',
                        <Anchor key="catalogue" component={Link} href={pages.product(product.id)} size="sm">
                          See it as tenants do
                        </Anchor>,
                      ],
                      ['Age', <Age key="age" since={product.created_at} />],
                    ]}
                  />
                </div>
              </div>
            </Panel>
            <Templates product={product} />
          </Column>
        )}
      </DetailPage>
      {dialog === 'edit' && query.data && <ProductEditor product={query.data} onClose={close} onSaved={close} />}
      {dialog === 'delete' && query.data && <DeleteProduct product={query.data} onClose={close} />}
    </>
  )
}

function Templates({ product }: { readonly product: ProductView }) {
  const canonical = useWrite<ProductView, string>((client, template_id) =>
    client.put(api.canonical(product.id), { template_id }),
  )
  const remove = useWrite<void, string>((client, id) => client.delete(api.template(product.id, id)))
  const error = canonical.error ?? remove.error
  const { mutate: makeCanonical } = canonical
  const { mutate: removeTemplate } = remove
  const [reviewedId, review] = useState<string>()
  const columns = useMemo(
    () => templateColumns(product.template_id, { makeCanonical, remove: removeTemplate, review }),
    [product.template_id, makeCanonical, removeTemplate],
  )
  return (
    <>
      {error !== null && <ProblemView compact error={error} />}
      {reviewedId !== undefined && (
        <ReviewedGrants productId={product.id} templateId={reviewedId} onClose={() => review(undefined)} />
      )}
      <ResourceList<TemplateView>
        noun="templates"
        topic={TOPIC}
        path={api.templates(product.id)}
        columns={columns}
        rowKey={(row) => row.id}
        empty={
          <Empty
            icon={<IconTemplate size={22} aria-hidden />}
            title="Nothing is published yet"
            action={
              <Button component={Link} href={pages.publish(product.id)} size="xs">
                Publish a template
              </Button>
            }
          >
            A template is one version of a chart, with its defaults and the form that tenants fill in.
          </Empty>
        }
      />
    </>
  )
}

interface ReviewedGrantsProps {
  readonly productId: string
  readonly templateId: string
  readonly onClose: () => void
}

/** Read anew: what was granted or revoked is shown at once. */
function ReviewedGrants({ productId, templateId, onClose }: ReviewedGrantsProps) {
  const { data } = useResource<TemplateView>(TOPIC, api.template(productId, templateId))
  return data === undefined ? null : <TemplateGrants template={data} onClose={onClose} />
}

interface TemplateActions {
  readonly makeCanonical: (id: string) => void
  readonly remove: (id: string) => void
  readonly review: (id: string) => void
}

const ruleText = ({ kind, name, paths }: TemplateView['drift_ignore'][number]): string =>
  `${kind}${name === undefined ? '' : `/${name}`} ${paths.join(' ')}`

const templateColumns = (
  canonicalId: string | null,
  { makeCanonical, remove, review }: TemplateActions,
): readonly ListColumn<TemplateView>[] => [
  {
    id: 'version',
    label: 'Template',
    value: templateName,
    render: (row) => (
      <>
        {templateName(row)}{' '}
        {row.id === canonicalId && (
          <Badge variant="light" tt="none" fw={500} ml={6}>
            canonical
          </Badge>
        )}
      </>
    ),
  },
  { id: 'chart', label: 'Chart', value: (row) => row.chart_ref, mono: true },
  {
    id: 'digest',
    label: 'Digest',
    value: (row) => row.chart_digest,
    render: (row) => (row.chart_digest === null ? '—' : `${row.chart_digest.slice(0, 19)}…`),
    mono: true,
    width: 190,
  },
  { id: 'signed', label: 'Signed by', value: (row) => signerText(row.signed_by) },
  {
    id: 'ignored',
    label: 'Ignored drift',
    value: (row) => row.drift_ignore.map(ruleText).join('; ') || '—',
    mono: true,
  },
  ageColumn((row) => row.created_at),
  menuColumn((row) => ({
    name: templateName(row),
    actions: [
      { label: 'Grants', onClick: () => review(row.id) },
      ...(row.id === canonicalId
        ? []
        : [
            { label: 'Make canonical', onClick: () => makeCanonical(row.id) },
            { label: 'Delete', isDangerous: true, onClick: () => remove(row.id) },
          ]),
    ],
  })),
]
