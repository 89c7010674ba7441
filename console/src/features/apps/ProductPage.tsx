import { Anchor, Button, Text } from '@mantine/core'
import { IconShoppingCart } from '@tabler/icons-react'
import { Link } from 'wouter'
import { Age } from '../../components/feedback/Age.tsx'
import { Column, Columns } from '../../components/page/Columns.tsx'
import { DetailPage } from '../../components/detail/DetailPage.tsx'
import { Facts } from '../../components/detail/Facts.tsx'
import { Loaded } from '../../components/feedback/Loaded.tsx'
import { Panel } from '../../components/detail/Panel.tsx'
import { StatusLabel } from '../../components/feedback/StatusLabel.tsx'
import type { ProductView, TemplateFormView } from '../../lib/api/contract.ts'
import { useMe, useResource } from '../../lib/api/queries.ts'
import { api, pages, TOPIC } from './paths.ts'
import { ProductIcon } from './ProductIcon.tsx'

/** What a product is and what one can set, before one orders it. */
export function ProductPage({ productId }: { readonly productId: string }) {
  const query = useResource<ProductView>(TOPIC, api.product(productId))
  return (
    <DetailPage
      list={{ label: 'Catalogue', href: pages.catalogue }}
      kind="product"
      name={query.data?.name ?? productId}
      query={query}
      renderStatus={({ template_id }) =>
        template_id === null && <StatusLabel tone="info">Not published yet</StatusLabel>
      }
      renderActions={({ template_id }) =>
        template_id !== null && (
          <Button
            component={Link}
            href={pages.order(productId)}
            leftSection={<IconShoppingCart size={16} aria-hidden />}
          >
            Order
          </Button>
        )
      }
    >
      {(product) => <About product={product} />}
    </DetailPage>
  )
}

function About({ product }: { readonly product: ProductView }) {
  const me = useMe()
  return (
    <Columns>
      <Panel title="About">
        <div style={{ display: 'flex', gap: 20 }}>
          <ProductIcon name={product.name} icon={product.icon} size={72} />
          <Text size="sm" style={{ whiteSpace: 'pre-line' }}>
            {product.description ?? 'No description.'}
          </Text>
        </div>
      </Panel>
      <Column>
        {product.template_id !== null && <Settings templateId={product.template_id} />}
        <Panel title="Facts">
          <Facts
            facts={[
              ['In the catalogue for', <Age key="age" since={product.created_at} />],
              ...(me.data?.role === 'admin'
                ? ([
                    [
                      'Administration',
                      <Anchor key="admin" component={Link} href={pages.productAdmin(product.id)} size="sm">
                        Edit and publish
                      </Anchor>,
                    ],
                  ] as const)
                : []),
            ]}
          />
        </Panel>
      </Column>
    </Columns>
  )
}

function Settings({ templateId }: { readonly templateId: string }) {
  const form = useResource<TemplateFormView>(TOPIC, api.form(templateId))
  return (
    <Panel title="What can be set">
      <Loaded query={form}>
        {({ ui_hints: hints }) => {
          const fields = hints.filter(({ pointer }) => pointer.lastIndexOf('/') === 0)
          return (
            <Text size="sm" component="ul" m={0} pl="1.2em">
              <li>Domain</li>
              {fields.map(({ pointer, title }) => (
                <li key={pointer}>{title}</li>
              ))}
            </Text>
          )
        }}
      </Loaded>
    </Panel>
  )
}
