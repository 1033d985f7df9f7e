export { isNullViolation, isUniqueViolation, translate } from './failures.ts'
export { clientConfig, openDb } from './pool.ts'
export type { Recording } from './recording.ts'
export type { Connection, Db, Queryable, Snapshot, TenantDb, Tx } from './types.ts'
