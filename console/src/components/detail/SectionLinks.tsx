import { Link, useLocation } from 'wouter'
import classes from './SectionLinks.module.css'

interface SectionLinksProps {
  readonly label: string
  readonly sections: readonly (readonly [href: string, label: string])[]
}

/** Pages that belong together, side by side. Each has an address of its own. */
export function SectionLinks({ label, sections }: SectionLinksProps) {
  const [path] = useLocation()
  return (
    <nav aria-label={label} className={classes.sections}>
      {sections.map(([href, text]) => (
        <Link
          key={href}
          href={href}
          className={classes.section}
          {...(path === href && { 'aria-current': 'page' as const })}
        >
          {text}
        </Link>
      ))}
    </nav>
  )
}
