import pg from 'pg'

export interface Table {
  schema: string
  name: string
  columns: string[]
  /** Expressions to select instead of the columns themselves. */
  select?: Record<string, string>
  where?: string
}

export const quote = (name: string): string => pg.escapeIdentifier(name)
export const nameOf = ({ schema, name }: Pick<Table, 'schema' | 'name'>): string =>
  `${quote(schema)}.${quote(name)}`

/**
 * Pending jobs; pg-boss recreates schedules, queues and statistics. A job that was active in the snapshot is
 * retried. The columns are listed so that a newer pg-boss may add some.
 */
export const JOBS: Table = {
  schema: 'pgboss',
  name: 'job',
  columns: [
    'id',
    'name',
    'priority',
    'data',
    'state',
    'retry_limit',
    'retry_count',
    'retry_delay',
    'retry_backoff',
    'retry_delay_max',
    'expire_seconds',
    'deletion_seconds',
    'singleton_key',
    'singleton_on',
    'group_id',
    'group_tier',
    'start_after',
    'created_on',
    'keep_until',
    'dead_letter',
    'policy',
    'heartbeat_seconds',
  ],
  select: { state: "case state when 'active' then 'retry' else state end" },
  where: String.raw`state in ('created', 'retry', 'active') and name not like '\_\_pgboss%'`,
}

/** Topological order by foreign keys, so that a restore need not disable them, which takes a superuser. */
function inOrder<T>(tables: Map<string, T>, references: { from: string; to: string }[]): T[] {
  const waiting = new Map([...tables.keys()].map((name) => [name, new Set<string>()]))
  for (const { from, to } of references) if (from !== to) waiting.get(from)?.add(to)
  const ordered: T[] = []
  while (waiting.size > 0) {
    const ready = [...waiting].filter(([, needs]) => ![...needs].some((to) => waiting.has(to)))
    if (ready.length === 0)
      throw new Error(`Foreign keys form a cycle: ${[...waiting.keys()].join(', ')}`)
    for (const [name] of ready) {
      waiting.delete(name)
      ordered.push(tables.get(name)!)
    }
  }
  return ordered
}

/** Not archived: local to this database (migrations, job failures), or recomputed (the counts). */
const LEFT_OUT = ['schema_migrations', 'member_counts', 'node_counts', 'job_failures']

/** Our own tables, without partitions (read through their parent) and generated columns. */
export async function ownTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname <> all($1)
     group by c.relname order by c.relname`,
    [LEFT_OUT],
  )
  const { rows: references } = await client.query<{ from: string; to: string }>(`
    select distinct f.relname as from, t.relname as to
      from pg_constraint k join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
     where k.contype = 'f'`)
  const tables = new Map(
    rows.map((row): [string, Table] => [row.name, { schema: 'public', ...row }]),
  )
  return inOrder(tables, references)
}
