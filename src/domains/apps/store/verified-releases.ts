import { msOf, type Pool } from '../../../store/index.ts'
import type { VerifiedReleaseStore, VerifiedRelease } from '../drift/verified-releases.ts'
import type { Observed } from '../observed.ts'
import { HELD } from './held.ts'

const KEEP = `
  ${HELD}
  insert into caelus.deployment_look (deployment_id, digest, kinds, fingerprint, seen, looked_at)
  select held.id, $3, $4, $5, $6, to_timestamp($7::float8 / 1000) from held
  on conflict (deployment_id) do update set
    digest = excluded.digest, kinds = excluded.kinds, fingerprint = excluded.fingerprint, seen = excluded.seen,
    looked_at = excluded.looked_at`

const DROP = `
  ${HELD}
  delete from caelus.deployment_look l using held where l.deployment_id = held.id`

interface LookRow {
  readonly digest: string
  readonly kinds: readonly string[]
  readonly fingerprint: string
  readonly seen: Observed
  readonly looked_at: Date
}

const lookOf = ({ looked_at, ...row }: LookRow): VerifiedRelease => ({ ...row, at: msOf(looked_at) })

/** What workers found in order, for those who come after them; `pool` acts as `caelus_worker`. */
export const verifiedReleaseStore = (pool: Pool): VerifiedReleaseStore => ({
  async find(id) {
    const [row] = await pool.query<LookRow>(
      `select digest, kinds, fingerprint, seen, looked_at from caelus.deployment_look where deployment_id = $1`,
      [id],
    )
    return row && lookOf(row)
  },
  async keep(id, fence, { digest, kinds, fingerprint, seen, at }) {
    await pool.query(KEEP, [id, fence, digest, kinds, fingerprint, seen, at])
  },
  async drop(id, fence) {
    await pool.query(DROP, [id, fence])
  },
  async kinds(clusterId) {
    const rows = await pool.query<{ kind: string }>(
      `select distinct unnest(l.kinds) as kind
       from caelus.deployment_look l join caelus.deployment d on d.id = l.deployment_id
       where d.cluster_id is not distinct from $1::uuid order by kind`,
      [clusterId],
    )
    return rows.map(({ kind }) => kind)
  },
})
