import type { Queryable } from '../platform/db/index.ts'
import { type Sql, sql } from '../platform/db/sql.ts'
import { JOB_ORGANIZATION } from '../platform/jobs/failures.ts'
import { escapeLike } from '../platform/list/conditions.ts'
import type { Attention, SearchHit } from './schema.ts'

type Counts = (db: Queryable, organizationId: string) => Promise<Attention>

const countBy =
  (query: (organizationId: string) => Sql): Counts =>
  async (db, organizationId) =>
    (await db.one<Attention>(query(organizationId)))!

/** By the scope that reads them. Each is one pass over one table, or over few rows of an index. */
export const COUNTS: Record<string, Counts> = {
  users: countBy(
    (organizationId) => sql`
      select count(*)::int as users, count(*) filter (where account_locked)::int as "lockedUsers",
             count(*) filter (where password_expired or password_expiration_date <= now())::int as "expiredPasswords",
             count(*) filter (where state = 'ACTIVATED' and totp_secret is null)::int as "usersWithoutMfa"
        from users where organization_id = ${organizationId} and deleted_at is null`,
  ),
  systems: countBy(
    (organizationId) => sql`
      select count(*)::int as systems,
             count(*) filter (where coalesce(last_contact, created) < now() - interval '14 days')::int as "unseenSystems"
        from systems where organization_id = ${organizationId} and deleted_at is null`,
  ),
  applications: countBy(
    (organizationId) => sql`
      select
        (select count(*)::int from applications
          where organization_id = ${organizationId} and deleted_at is null) as applications,
        (select count(*)::int from applications a
           join application_certificates c
             on c.organization_id = a.organization_id and c.application_id = a.id and c.id = a.certificate_id
          where a.organization_id = ${organizationId} and a.deleted_at is null and a.active
            and c.not_after < now() + interval '30 days') as "expiringCertificates",
        (select count(*)::int from provisioning_connections p
           join applications a on a.organization_id = p.organization_id and a.id = p.application_id and a.deleted_at is null
          where p.organization_id = ${organizationId}
            and (p.status = 'stopped' or p.held_removals is not null
                 or exists (select from provisioning_users u
                             where u.organization_id = p.organization_id and u.application_id = p.application_id
                               and u.failing_since is not null)))
          as "failingProvisioning",
        (select count(*)::int from batches
          where organization_id = ${organizationId} and state = 'waiting') as "parkedImports",
        (select count(*)::int from batches
          where organization_id = ${organizationId} and state = 'failed' and created > now() - interval '7 days') +
        (select count(*)::int from job_failures f join pgboss.job j on j.name = f.queue and j.id = f.job
          where j.state = 'failed' and ${JOB_ORGANIZATION} = ${organizationId})
          as "failedJobs"`,
  ),
  insights: countBy(
    (organizationId) => sql`
      select count(*)::int as forwarders,
             count(*) filter (where status in ('retrying', 'failed'))::int as "failingForwarders"
        from forwarders where organization_id = ${organizationId}`,
  ),
}

const MAX_HITS = 5
/** The index of names finds sequences of three letters or digits, and other characters (migration 0035). */
const INDEXABLE = /[a-z0-9]{3}|[^\0-\x7f]/i
const MAX_CANDIDATES = 2000

interface SearchText {
  text: string
  words: string[]
}

/** Records whose text contains every word, and the one with this id. */
const matching = (id: Sql, text: Sql, { text: whole, words }: SearchText): Sql => {
  const patterns = words.map((word) => `%${escapeLike(word)}%`)
  return sql`(${id} = lower(${whole}::text) or fold(${text}) like all
    (array(select fold(pattern) from unnest(${patterns}::text[]) pattern)))`
}

type Find = (db: Queryable, organizationId: string, text: SearchText) => Promise<SearchHit[]>

const USER_TEXT = sql`concat_ws(' ', firstname, lastname, profile ->> 'displayname', username, email)`

/** The index narrows the users down to those with one of the words; a search by short words reads them in order. */
const findUsers: Find = async (db, organizationId, search) => {
  const word = search.words.toSorted((a, b) => b.length - a.length)[0]!
  const candidates = INDEXABLE.test(word)
    ? sql`and id in (select id from search_users(array[${word}]::text[], ${MAX_CANDIDATES}::int)
                     union all select lower(${search.text}::text))`
    : sql``
  return db.many<SearchHit>(sql`
    select 'user' as type, id, coalesce(nullif(trim(concat_ws(' ', firstname, lastname)), ''), username) as name,
           coalesce(email, '') as about
      from users
     where organization_id = ${organizationId} and deleted_at is null ${candidates}
       and ${matching(sql`id`, USER_TEXT, search)}
     order by username collate "C" limit ${MAX_HITS}`)
}

const findGroups: Find = (db, organizationId, search) =>
  db.many<SearchHit>(sql`
    select type, id, name, description as about from groups
     where organization_id = ${organizationId} and deleted_at is null
       and ${matching(sql`id`, sql`concat_ws(' ', name, email)`, search)}
     order by name, id limit ${MAX_HITS}`)

const findSystems: Find = (db, organizationId, search) =>
  db.many<SearchHit>(sql`
    select 'system' as type, id, coalesce(nullif(display_name, ''), hostname) as name, hostname as about from systems
     where organization_id = ${organizationId} and deleted_at is null
       and ${matching(sql`id`, sql`concat_ws(' ', display_name, hostname, serial_number)`, search)}
     order by display_name, id limit ${MAX_HITS}`)

const findApplications: Find = (db, organizationId, search) =>
  db.many<SearchHit>(sql`
    select 'application' as type, id, coalesce(nullif(display_label, ''), nullif(display_name, ''), name) as name,
           name as about
      from applications
     where organization_id = ${organizationId} and deleted_at is null
       and ${matching(sql`id`, sql`concat_ws(' ', display_label, display_name, name)`, search)}
     order by display_label, id limit ${MAX_HITS}`)

const findAdministrators: Find = (db, organizationId, search) =>
  db.many<SearchHit>(sql`
    select 'administrator' as type, id, coalesce(nullif(trim(concat_ws(' ', firstname, lastname)), ''), email) as name,
           email as about
      from administrators
     where organization = ${organizationId}
       and ${matching(sql`id`, sql`concat_ws(' ', firstname, lastname, email)`, search)}
     order by email limit ${MAX_HITS}`)

/** By the scope that reads the records, in the order of the results. */
export const FINDERS: Record<string, Find> = {
  users: findUsers,
  groups: findGroups,
  systems: findSystems,
  applications: findApplications,
  administrators: findAdministrators,
}
