import { Code, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconPlugConnectedX, IconSeeding } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { DomainName, DomainView } from '../../lib/api/contract.ts'
import { useStatus } from '../../lib/api/queries.ts'
import { spokenHealth } from '../../lib/tone.ts'
import { Empty } from '../feedback/Empty.tsx'
import { Facts } from '../detail/Facts.tsx'
import { Loaded } from '../feedback/Loaded.tsx'
import { Page } from './Page.tsx'
import { Panel } from '../detail/Panel.tsx'
import { StatusLabel } from '../feedback/StatusLabel.tsx'

/** What a domain is, in words that stay true whether or not it runs here. */
export interface DomainAbout {
  readonly name: DomainName
  readonly title: string
  readonly summary: string
  readonly desired: string
  readonly converged: string
  /** What a user can count on. */
  readonly promises: readonly string[]
}

interface DomainPageProps {
  readonly about: DomainAbout
  /** The pages of the domain itself; drawn only where the installation runs its controllers. */
  readonly children?: ReactNode
}

/** The entrance of a domain. Where its controllers do not run, it says so instead of showing empty lists. */
export function DomainPage({ about, children }: DomainPageProps) {
  const status = useStatus()
  const domain = status.data?.domains.find(({ name }) => name === about.name)
  return (
    <Page title={about.title} description={about.summary} aside={domain && <DomainLabel domain={domain} />}>
      <Loaded query={status}>
        {() =>
          domain?.enabled ? (
            (children ?? <Running domain={domain} about={about} />)
          ) : (
            <NotEnabled about={about} domain={domain} />
          )
        }
      </Loaded>
    </Page>
  )
}

function DomainLabel({ domain }: { readonly domain: DomainView }) {
  const { tone, word } = spokenHealth(domain.health)
  return (
    <StatusLabel tone={tone} since={domain.since} {...(domain.message !== '' && { why: domain.message })}>
      {word}
    </StatusLabel>
  )
}

function Running({ domain, about }: { readonly domain: DomainView; readonly about: DomainAbout }) {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      <Panel title="Now">
        <Facts
          facts={[
            ['Objects', domain.objects],
            ['Not ready', domain.not_ready],
            ['State', <DomainLabel key="state" domain={domain} />],
          ]}
        />
        {domain.objects === 0 && (
          <Empty icon={<IconSeeding size={22} aria-hidden />} title="Nothing is desired yet">
            The controllers are running and wait for the first object.
          </Empty>
        )}
      </Panel>
      <WhatItIs about={about} />
      <Promises about={about} />
    </SimpleGrid>
  )
}

function NotEnabled({ about, domain }: { readonly about: DomainAbout; readonly domain: DomainView | undefined }) {
  return (
    <Stack gap="md">
      <Panel>
        <Empty
          icon={<IconPlugConnectedX size={22} aria-hidden />}
          title={`This installation has no controllers for ${about.name}`}
        >
          Nothing of this domain is watched or changed here, so there is nothing to list.
          {domain !== undefined && domain.message !== '' && <> The control plane says: {domain.message}</>}
        </Empty>
      </Panel>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <WhatItIs about={about} />
        <Promises about={about} />
      </SimpleGrid>
    </Stack>
  )
}

function WhatItIs({ about }: { readonly about: DomainAbout }) {
  return (
    <Panel title="What it is">
      <Facts
        facts={[
          ['Desired state', about.desired],
          ['Converged into', about.converged],
          ['Topic on the stream', <Code key="topic">{about.name}</Code>],
        ]}
      />
    </Panel>
  )
}

function Promises({ about }: { readonly about: DomainAbout }) {
  return (
    <Panel title="What one can count on">
      <Text component="ul" size="sm" m={0} pl="1.2em">
        {about.promises.map((promise) => (
          <li key={promise}>{promise}</li>
        ))}
      </Text>
    </Panel>
  )
}
