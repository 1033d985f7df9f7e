import { SERVICES, searchCondition } from '../insights/index.ts'
import { type Sql, sql } from '../platform/db/sql.ts'
import type { Filter } from './filter.ts'

/** The SQL condition of a filter on an event `e`. */
export const filterCondition = ({ services, term }: Filter): Sql =>
  services.length === SERVICES.length
    ? searchCondition(term)
    : sql`e.service = any(${[...services]}::text[]) and ${searchCondition(term)}`
