import { ScrollArea, Text } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import type { DomainName, DomainView, Role } from '../lib/api/contract.ts'
import { useStatus } from '../lib/api/queries.ts'
import { spokenHealth } from '../lib/tone.ts'
import { isAt, placesFor } from './navigation.ts'
import type { Place } from './navigation.ts'
import classes from './Menu.module.css'

interface MenuProps {
  readonly role: Role
  /** A place was chosen; the menu of a narrow screen can close. */
  readonly onLeave: () => void
}

export function Menu({ role, onLeave }: MenuProps) {
  const [path] = useLocation()
  const status = useStatus()
  const domainOf = (name: DomainName | undefined): DomainView | undefined =>
    status.data?.domains.find((domain) => domain.name === name)
  return (
    <ScrollArea className={classes.menu} type="never">
      {placesFor(role).map((group) => (
        <section key={group.label} className={classes.group} aria-label={group.label}>
          <Text className={classes.heading} aria-hidden>
            {group.label}
          </Text>
          <ul className={classes.places}>
            {group.places.map((place) => (
              <li key={place.path}>
                <PlaceLink
                  place={place}
                  current={isAt(place.path, path)}
                  domain={domainOf(place.domain)}
                  onLeave={onLeave}
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {status.data && <Text className={classes.version}>Caelus {status.data.version}</Text>}
    </ScrollArea>
  )
}

interface PlaceLinkProps {
  readonly place: Place
  readonly current: boolean
  readonly domain: DomainView | undefined
  readonly onLeave: () => void
}

function PlaceLink({ place: { path, label, icon: Icon }, current, domain, onLeave }: PlaceLinkProps) {
  const health = domain && spokenHealth(domain.health)
  return (
    <Link
      href={path}
      onClick={onLeave}
      className={classes.place}
      {...(current && { 'aria-current': 'page' as const })}
      data-off={domain?.enabled === false || undefined}
    >
      <Icon size={18} stroke={1.6} aria-hidden />
      <span>{label}</span>
      {health && (
        <span className={classes.state} data-tone={health.tone} title={health.word}>
          <span className="visually-hidden">, {health.word}</span>
        </span>
      )}
    </Link>
  )
}
