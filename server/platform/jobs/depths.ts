import type { Queryable } from '../db/index.ts'
import { sql } from '../db/sql.ts'

export interface QueueDepth {
  name: string
  waiting: number
  active: number
  /** Failed before, waiting for the next attempt. */
  retrying: number
  failed: number
  oldestSeconds: number
}

export const queueDepths = (db: Queryable): Promise<QueueDepth[]> =>
  db.many<QueueDepth>(sql`
    select q.name,
           count(*) filter (where j.state in ('created', 'retry') and j.start_after <= now())::int as waiting,
           count(*) filter (where j.state = 'active')::int as active,
           count(*) filter (where j.state = 'retry')::int as retrying,
           count(*) filter (where j.state = 'failed')::int as failed,
           coalesce(extract(epoch from now() - min(j.start_after)
             filter (where j.state in ('created', 'retry') and j.start_after <= now())), 0)::float8 as "oldestSeconds"
      from pgboss.queue q left join pgboss.job j on j.name = q.name
     where q.name not like '\_\_pgboss%'
     group by q.name`)
