export { CHANGES, unsentChanges, type RowChange, type UnsentChangesOptions } from './changes.ts'
export { audit, auditOf, type AuditEntry, type AuditRow } from './audit.ts'
export { Batch } from './batch.ts'
export { decisionStore, type DecisionStore, type DecisionStoreOptions } from './decision-store.ts'
export {
  DECISIONS_CHANNEL,
  decisionsOf,
  findDecision,
  listDecisions,
  newestDecision,
  type DecisionDetailRow,
  type DecisionFilter,
  type DecisionRow,
} from './decisions.ts'
export { isRefused, isUnavailable, violates } from './failures.ts'
export { checkGeneration, found, needsAdmin, note, refuseUnstorable, type Precondition } from './guard.ts'
export { keepDecisions, type KeepDecisionsOptions } from './keep-decisions.ts'
export { listener, type Listener, type ListenerOptions } from './listen.ts'
export { migrate, readMigrations, type Migration } from './migrate.ts'
export { openPool, type Pool, type PoolOptions, type Runner, type Session } from './pool.ts'
export * from './queue/index.ts'
export { prune, pruneAlone, retention, type Keep, type RetentionOptions } from './retention.ts'
export * from './row-worker/index.ts'
export { createLogins, loginOf, urlWithLogin, type DatabaseLogin } from './logins.ts'
export { asPlatform, asUser, AS_PLATFORM, PLATFORM, ROLES, type Actor, type Role } from './roles.ts'
export { actorName, auditEntries, decisionEntries } from './timeline.ts'
export { insideTransaction, inTx, type Tx, type TxOptions } from './tx.ts'
export { isId, isStorable, markOf, msOf, msOrNull, UNSTORABLE } from './columns.ts'
export { listed, notOurs, timeMark, type Listed, type PageOptions } from './page.ts'
