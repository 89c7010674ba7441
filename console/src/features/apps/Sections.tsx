import { Link, useLocation } from 'wouter'
import { pages } from './paths.ts'
import classes from './Sections.module.css'

const FOR_ALL = [
  [pages.mine, 'My apps'],
  [pages.catalogue, 'Catalogue'],
] as const

const FOR_ADMINS = [
  [pages.all, 'All apps'],
  [pages.products, 'Products'],
  [pages.queue, 'Queue'],
  [pages.users, 'Users'],
] as const

/** The lists of this domain, side by side. */
export function Sections({ isAdmin }: { readonly isAdmin: boolean }) {
  const [path] = useLocation()
  return (
    <nav aria-label="Apps" className={classes.sections}>
      {[...FOR_ALL, ...(isAdmin ? FOR_ADMINS : [])].map(([href, label]) => (
        <Link
          key={href}
          href={href}
          className={classes.section}
          {...(path === href && { 'aria-current': 'page' as const })}
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}
