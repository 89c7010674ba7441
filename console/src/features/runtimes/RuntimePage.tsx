import { Button } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { DeleteButton } from '../../components/delete/DeleteButton.tsx'
import { DetailPage } from '../../components/detail/DetailPage.tsx'
import { SectionLinks } from '../../components/detail/SectionLinks.tsx'
import type { RuntimeView } from '../../lib/api/contract.ts'
import { useResource } from '../../lib/api/queries.ts'
import { DeleteRuntime } from './DeleteRuntime.tsx'
import { api, pages, TOPIC } from './paths.ts'
import type { RuntimeRef } from './paths.ts'
import { Requirements } from './Requirements.tsx'
import { PhaseLabel } from './RuntimeList.tsx'
import { RuntimeNow } from './RuntimeNow.tsx'
import { ObjectTimeline } from '../../components/insight/ObjectTimeline.tsx'

interface RuntimePageProps {
  readonly runtime: RuntimeRef & { readonly section?: string | undefined }
  readonly isAdmin: boolean
}

export function RuntimePage({ runtime: ref, isAdmin }: RuntimePageProps) {
  const query = useResource<RuntimeView>(TOPIC, api.runtime(ref))
  const [isDeleting, setDeleting] = useState(false)
  return (
    <>
      <DetailPage
        list={{ label: 'Runtimes', href: pages.list }}
        kind={`runtime in ${ref.namespace}`}
        name={ref.name}
        query={query}
        renderStatus={(runtime) => <PhaseLabel runtime={runtime} />}
        renderActions={(runtime) =>
          isAdmin &&
          runtime.deleting_since === null && (
            <>
              <Button component={Link} href={pages.edit(ref)} leftSection={<IconPencil size={16} aria-hidden />}>
                Change
              </Button>
              <DeleteButton onClick={() => setDeleting(true)} />
            </>
          )
        }
      >
        {(runtime) => (
          <>
            <SectionLinks
              label={runtime.name}
              sections={[
                [pages.runtime(ref), 'Now'],
                [pages.requirements(ref), 'Requirements'],
                [pages.timeline(ref), 'Timeline'],
              ]}
            />
            <Section section={ref.section} runtime={runtime} />
          </>
        )}
      </DetailPage>
      {isDeleting && query.data && <DeleteRuntime runtime={query.data} onClose={() => setDeleting(false)} />}
    </>
  )
}

function Section({ section, runtime }: { readonly section: string | undefined; readonly runtime: RuntimeView }) {
  if (section === 'requirements') return <Requirements runtime={runtime} />
  if (section === 'timeline') return <ObjectTimeline topic={TOPIC} path={`${api.runtime(runtime)}/timeline`} />
  return <RuntimeNow runtime={runtime} />
}
