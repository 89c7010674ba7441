import { hueOf, initialsOf } from './icon.ts'
import classes from './apps.module.css'

interface ProductIconProps {
  readonly name: string
  readonly icon: string | null
  /** @default 40 */
  readonly size?: number
}

/** The picture of a product; without one, its initials on a colour of its own. Says nothing that the name does not. */
export function ProductIcon({ name, icon, size = 40 }: ProductIconProps) {
  const box = { width: size, height: size, borderRadius: size / 4.5 }
  if (icon !== null && icon.startsWith('data:image/')) {
    return <img src={icon} alt="" className={classes.icon} style={box} />
  }
  return (
    <span
      aria-hidden
      className={classes.initials}
      style={{ ...box, fontSize: size * 0.38, '--hue': hueOf(name) } as React.CSSProperties}
    >
      {initialsOf(name)}
    </span>
  )
}
