import {
  IconActivityHeartbeat,
  IconAffiliate,
  IconApps,
  IconBolt,
  IconBox,
  IconBuilding,
  IconGitCommit,
  IconHome2,
  IconKey,
  IconServer2,
  IconSettings,
  IconTimelineEvent,
  IconUsers,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import type { DomainName, Role } from '../lib/api/contract.ts'

export interface Place {
  readonly path: string
  readonly label: string
  readonly icon: ComponentType<{ size: number; stroke: number; 'aria-hidden': true }>
  /** Pressed after `g`. */
  readonly key: string
  /** Whose state is shown beside the label. */
  readonly domain?: DomainName
  /** The API shows it to admins alone. */
  readonly adminOnly?: boolean
}

export interface PlaceGroup {
  readonly label: string
  readonly places: readonly Place[]
}

/** Everywhere one can go; the menu, the shortcuts and their help are all made from this. */
export const PLACES: readonly PlaceGroup[] = [
  {
    label: 'Control plane',
    places: [
      { path: '/', label: 'Overview', icon: IconHome2, key: 'o' },
      { path: '/timeline', label: 'Timeline', icon: IconTimelineEvent, key: 't' },
    ],
  },
  {
    label: 'Domains',
    places: [
      { path: '/apps', label: 'Apps', icon: IconApps, key: 'a', domain: 'apps' },
      { path: '/clusters', label: 'Clusters', icon: IconServer2, key: 'c', domain: 'clusters' },
      { path: '/runtimes', label: 'Runtimes', icon: IconBox, key: 'r', domain: 'runtimes' },
      { path: '/actions', label: 'Actions', icon: IconBolt, key: 'x', domain: 'actions' },
      { path: '/edge', label: 'Edge', icon: IconAffiliate, key: 'e', domain: 'edge' },
    ],
  },
  {
    label: 'Access',
    places: [
      { path: '/organizations', label: 'Organizations', icon: IconBuilding, key: 'n' },
      { path: '/users', label: 'Users', icon: IconUsers, key: 'u', adminOnly: true },
      { path: '/operations/tokens', label: 'Tokens', icon: IconKey, key: 'k' },
    ],
  },
  {
    label: 'Operations',
    places: [
      { path: '/operations/status', label: 'Status', icon: IconActivityHeartbeat, key: 's' },
      { path: '/operations/decisions', label: 'Decisions', icon: IconGitCommit, key: 'd', adminOnly: true },
      { path: '/operations/configuration', label: 'Configuration', icon: IconSettings, key: 'f', adminOnly: true },
    ],
  },
]

export const placesFor = (role: Role): readonly PlaceGroup[] =>
  PLACES.map((group) => ({ ...group, places: group.places.filter(({ adminOnly }) => !adminOnly || role === 'admin') }))

/** Whether `place` is where `path` is, or above it. */
export const isAt = (place: string, path: string): boolean =>
  place === '/' ? path === '/' : path === place || path.startsWith(`${place}/`)
