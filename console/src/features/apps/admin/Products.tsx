import { Button, Group } from '@mantine/core'
import { IconPackage, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { Empty } from '../../../components/feedback/Empty.tsx'
import { ageColumn } from '../../../components/list/list-columns.tsx'
import { ResourceList } from '../../../components/list/ResourceList.tsx'
import type { ListColumn } from '../../../components/list/ResourceTable.tsx'
import { StatusLabel } from '../../../components/feedback/StatusLabel.tsx'
import type { ProductView } from '../../../lib/api/contract.ts'
import { pages, TOPIC } from '../paths.ts'
import { ProductIcon } from '../ProductIcon.tsx'
import { ProductEditor } from './ProductEditor.tsx'

const COLUMNS: readonly ListColumn<ProductView>[] = [
  {
    id: 'name',
    label: 'Product',
    value: (row) => row.name,
    render: (row) => (
      <Group gap="sm" wrap="nowrap">
        <ProductIcon name={row.name} icon={row.icon} size={28} />
        <span>{row.name}</span>
      </Group>
    ),
    width: 260,
  },
  { id: 'description', label: 'Description', value: (row) => row.description },
  {
    id: 'published',
    label: 'State',
    value: (row) => (row.template_id === null ? 'Not published' : 'Can be ordered'),
    render: (row) =>
      row.template_id === null ? (
        <StatusLabel tone="info">Not published</StatusLabel>
      ) : (
        <StatusLabel tone="good">Can be ordered</StatusLabel>
      ),
    width: 170,
  },
  ageColumn((row) => row.created_at),
]

export function Products() {
  const [creating, setCreating] = useState(false)
  const [, go] = useLocation()
  return (
    <>
      <ResourceList<ProductView>
        noun="products"
        topic={TOPIC}
        path="/products"
        columns={COLUMNS}
        rowKey={(row) => row.id}
        onOpen={(row) => go(pages.productAdmin(row.id))}
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
            New product
          </Button>
        }
        empty={
          <Empty icon={<IconPackage size={22} aria-hidden />} title="There are no products">
            A product has a name, an icon and templates. Tenants order the canonical one.
          </Empty>
        }
      />
      {creating && (
        <ProductEditor onClose={() => setCreating(false)} onSaved={(product) => go(pages.productAdmin(product.id))} />
      )}
    </>
  )
}
