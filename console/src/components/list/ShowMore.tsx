import { Button } from '@mantine/core'
import type { useResourcePages } from '../../lib/api/queries.ts'

type Pages = Pick<ReturnType<typeof useResourcePages>, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>

/** Reads the next page of a list, as long as there is one. */
export const ShowMore = ({ pages }: { readonly pages: Pages }) =>
  pages.hasNextPage && (
    <Button variant="default" loading={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
      Show more
    </Button>
  )
