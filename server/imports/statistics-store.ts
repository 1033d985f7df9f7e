import type { Queryable } from '../platform/db/index.ts'
import { sql } from '../platform/db/sql.ts'

/** Analyzes the tables that are ten times as large as when they last were. Cheap when none has. */
export const analyzeGrown = (db: Queryable) => db.run(sql`select analyze_grown_tables()`)
