import { SimpleGrid, Skeleton, Text, TextInput } from '@mantine/core'
import { IconPackage, IconSearch } from '@tabler/icons-react'
import { Link } from 'wouter'
import { Empty } from '../../components/feedback/Empty.tsx'
import { Loaded } from '../../components/feedback/Loaded.tsx'
import { Panel } from '../../components/detail/Panel.tsx'
import { useAddress } from '../../lib/address.ts'
import type { ProductView } from '../../lib/api/contract.ts'
import { useMe, useResourcePages } from '../../lib/api/queries.ts'
import { isFound } from './search.ts'
import { pages, TOPIC } from './paths.ts'
import { ProductIcon } from './ProductIcon.tsx'
import classes from './Catalogue.module.css'

/** Everything that can be ordered. */
export function Catalogue() {
  const products = useResourcePages<ProductView>(TOPIC, '/products', { limit: 200 })
  const [params, setParam] = useAddress()
  const query = params.get('q') ?? ''
  return (
    <>
      <TextInput
        maw={360}
        aria-label="Search products"
        placeholder="Search products"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={query}
        onChange={(event) => setParam('q', event.currentTarget.value)}
      />
      <Loaded query={products} skeleton={<CardSkeletons />}>
        {({ pages: read }) => <Cards products={read.flatMap(({ items }) => items)} query={query} />}
      </Loaded>
    </>
  )
}

function Cards({ products, query }: { readonly products: readonly ProductView[]; readonly query: string }) {
  const me = useMe()
  const found = products.filter((product) => isFound(product, query))
  if (found.length === 0) {
    return (
      <Panel>
        {products.length === 0 ? (
          <Empty icon={<IconPackage size={22} aria-hidden />} title="The catalogue is empty">
            {me.data?.role === 'admin' ? (
              <>
                Nothing can be ordered yet. <Link href={pages.products}>Add the first product</Link>
              </>
            ) : (
              'Nothing can be ordered yet. An admin publishes products.'
            )}
          </Empty>
        ) : (
          <Empty title={`No product matches “${query}”`} />
        )}
      </Panel>
    )
  }
  return (
    <SimpleGrid component="ul" cols={{ base: 1, sm: 2, lg: 3 }} spacing="md" className={classes.cards}>
      {found.map((product) => (
        <li key={product.id} className={classes.card}>
          <ProductIcon name={product.name} icon={product.icon} size={48} />
          <div className={classes.text}>
            <Link href={pages.product(product.id)} className={classes.name}>
              {product.name}
            </Link>
            <Text size="sm" c="dimmed" lineClamp={3}>
              {product.description ?? 'No description.'}
            </Text>
            {product.template_id === null && (
              <Text size="xs" c="var(--tone-wait)" mt={6}>
                Not published yet
              </Text>
            )}
          </div>
        </li>
      ))}
    </SimpleGrid>
  )
}

const CardSkeletons = () => (
  <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
    {Array.from({ length: 6 }, (_, card) => (
      <Skeleton key={card} height={108} radius="md" />
    ))}
  </SimpleGrid>
)
