import { ageText, momentText } from '../../lib/age.ts'
import { useNow } from '../../lib/now.ts'

/** How old something is, ticking; the exact moment is its title. */
export function Age({ since }: { readonly since: string }) {
  const now = useNow()
  return (
    <time dateTime={since} title={momentText(since)} className="tabular">
      {ageText(since, now)}
    </time>
  )
}
