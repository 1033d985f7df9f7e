import type { Queryable } from '../platform/db/index.ts'
import { type Sql, sql } from '../platform/db/sql.ts'
import { attributesIn, type Field, type Resource } from '../platform/list/conditions.ts'
import { readTenantPage } from '../platform/list/page.ts'
import type { ListQuery } from '../platform/list/query.ts'
import { totalOf } from '../platform/list/total.ts'
import { DETAIL_FIELDS, type Details } from './details.ts'
import { ACTIVE_MINUTES, type System } from './schema.ts'

export interface SystemRow {
  organization_id: string
  id: string
  display_name: string
  hostname: string
  description: string
  os: string
  os_family: string
  version: string
  arch: string
  serial_number: string
  agent_version: string
  remote_ip: string
  last_contact: string | null
  created: string
  attributes: NonNullable<System['attributes']>
  provisioner_type: 'administrator' | 'mdm' | 'user'
  provisioner_id: string
  primary_user_id: string | null
  details: Details
  deleted_at: string | null
}

const active = sql`coalesce(last_contact > now() - make_interval(mins => ${ACTIVE_MINUTES}), false)`

function detail([path, kind, fallback]: (typeof DETAIL_FIELDS)[number]): [string, Field] {
  const value = sql`(details #>> ${path}::text[])`
  const typed: Sql =
    kind === 'string' ? value : kind === 'number' ? sql`${value}::numeric` : sql`${value}::boolean`
  const column = fallback === null ? typed : sql`coalesce(${typed}, ${fallback})`
  return [path.join('.'), { column, kind }]
}

export const systemResource: Resource = {
  fields: {
    _id: { column: sql`id`, kind: 'string' },
    id: { column: sql`id`, kind: 'string' },
    active: { column: active, kind: 'boolean' },
    agentVersion: { column: sql`agent_version`, kind: 'string' },
    arch: { column: sql`arch`, kind: 'string' },
    created: { column: sql`created`, kind: 'date' },
    description: { column: sql`description`, kind: 'string' },
    displayName: { column: sql`display_name`, kind: 'string' },
    hostname: { column: sql`hostname`, kind: 'string' },
    lastContact: { column: sql`last_contact`, kind: 'date' },
    organization: { column: sql`organization_id`, kind: 'string' },
    os: { column: sql`os`, kind: 'string' },
    osFamily: { column: sql`os_family`, kind: 'string' },
    'primarySystemUser.id': { column: sql`primary_user_id`, kind: 'string' },
    'provisionMetadata.provisioner.type': { column: sql`provisioner_type`, kind: 'string' },
    'provisionMetadata.provisioner.provisionerId': {
      column: sql`provisioner_id`,
      kind: 'string',
    },
    remoteIP: { column: sql`remote_ip`, kind: 'string' },
    serialNumber: { column: sql`serial_number`, kind: 'string' },
    version: { column: sql`version`, kind: 'string' },
    ...Object.fromEntries(DETAIL_FIELDS.map(detail)),
  },
  more: attributesIn(sql`attributes`),
  defaultSort: '_id',
  tieBreak: sql`id`,
  searchFields: ['displayName', 'hostname', 'serialNumber', 'description'],
  // Published client modules request 1,000 rows and treat a shorter page as the last one.
  maxLimit: 1000,
}

const alive = (organizationId: string): Sql =>
  sql`organization_id = ${organizationId} and deleted_at is null`

export const listSystems = (db: Queryable, organizationId: string, list: ListQuery) =>
  readTenantPage<SystemRow>(db, sql`systems`, organizationId, sql`deleted_at is null`, list, {
    size: totalOf(organizationId, 'system'),
  })

export const findSystem = (db: Queryable, organizationId: string, id: string) =>
  db.find<SystemRow>(sql`select * from systems where ${alive(organizationId)} and id = ${id}`)

/** All systems, or those with these ids; used by membership rules. */
export const readSystems = (db: Queryable, organizationId: string, ids: string[] | null) =>
  db.many<SystemRow>(
    sql`select * from systems
         where ${alive(organizationId)} and (${ids}::text[] is null or id = any(${ids}::text[]))
         order by id`,
  )

export const lockSystem = (db: Queryable, organizationId: string, id: string) =>
  db.one<SystemRow>(
    sql`select * from systems where ${alive(organizationId)} and id = ${id} for update`,
  )

/** A soft-deleted system that can still be restored. */
export const lockTombstone = (db: Queryable, organizationId: string, id: string) =>
  db.one<SystemRow>(
    sql`select * from systems
         where organization_id = ${organizationId} and id = ${id} and deleted_at is not null for update`,
  )

export type NewSystem = Pick<SystemRow, 'organization_id' | 'id'> & Partial<SystemRow>

export const insertSystem = (db: Queryable, row: NewSystem) =>
  db.run(sql`
    insert into systems (organization_id, id, display_name, hostname, description, os, os_family, version, arch,
                         serial_number, agent_version, remote_ip, last_contact, created, attributes, provisioner_type,
                         provisioner_id, primary_user_id, details)
    values (${row.organization_id}, ${row.id}, ${row.display_name ?? ''}, ${row.hostname ?? ''}, ${row.description ?? ''},
            ${row.os ?? ''}, ${row.os_family ?? ''}, ${row.version ?? ''}, ${row.arch ?? ''}, ${row.serial_number ?? ''},
            ${row.agent_version ?? ''}, ${row.remote_ip ?? ''}, ${row.last_contact ?? null},
            coalesce(${row.created ?? null}::timestamptz, clock_timestamp()), ${JSON.stringify(row.attributes ?? [])},
            ${row.provisioner_type ?? 'administrator'}, ${row.provisioner_id ?? ''}, ${row.primary_user_id ?? null},
            ${JSON.stringify(row.details ?? {})})`)

export const saveSystem = (db: Queryable, row: SystemRow) =>
  db.run(sql`
    update systems
       set display_name = ${row.display_name}, hostname = ${row.hostname}, description = ${row.description}, os = ${row.os},
           os_family = ${row.os_family}, version = ${row.version}, arch = ${row.arch}, serial_number = ${row.serial_number},
           agent_version = ${row.agent_version}, remote_ip = ${row.remote_ip}, last_contact = ${row.last_contact},
           attributes = ${JSON.stringify(row.attributes)}, primary_user_id = ${row.primary_user_id},
           details = ${JSON.stringify(row.details)}
     where organization_id = ${row.organization_id} and id = ${row.id}`)

export const markDeleted = (
  db: Queryable,
  organizationId: string,
  id: string,
  deletedAt: string | null,
) =>
  db.run(
    sql`update systems set deleted_at = ${deletedAt} where organization_id = ${organizationId} and id = ${id}`,
  )

/** Written at most once a minute, so that a busy system does not cause a write per request. */
export const touchSystem = (db: Queryable, organizationId: string, id: string, ip: string) =>
  db.run(sql`
    update systems set last_contact = now(), remote_ip = ${ip}
     where organization_id = ${organizationId} and id = ${id}
       and (last_contact is null or last_contact < now() - interval '1 minute')`)

export const purgeSystems = (db: Queryable, organizationId: string, days: number) =>
  db.run(sql`
    delete from systems
     where organization_id = ${organizationId} and deleted_at < now() - make_interval(days => ${days})`)

/** Deleted users keep their systems until they are purged, in case they are restored. */
export const forgetPurgedUsers = (db: Queryable, organizationId: string) =>
  db.run(sql`
    update systems set primary_user_id = null
     where organization_id = ${organizationId} and primary_user_id is not null
       and not exists (select from users u where u.organization_id = ${organizationId} and u.id = primary_user_id)`)

// SSH host keys ----------------------------------------------------------------------------------------------

export interface SshKeyRow {
  id: string
  name: string
  public_key: string
  created: string
}

export const listSshKeys = (db: Queryable, organizationId: string, systemId: string) =>
  db.many<SshKeyRow>(sql`
    select id, name, public_key, created from system_ssh_keys
     where organization_id = ${organizationId} and system_id = ${systemId} order by name`)

/** Replaces the set of keys; a key that stays keeps its id and date. */
export async function saveSshKeys(
  db: Queryable,
  organizationId: string,
  systemId: string,
  keys: { id: string; name: string; public_key: string }[],
): Promise<void> {
  const names = keys.map((key) => key.name)
  await db.run(sql`
    delete from system_ssh_keys
     where organization_id = ${organizationId} and system_id = ${systemId} and name <> all(${names}::text[])`)
  await db.run(sql`
    insert into system_ssh_keys (organization_id, system_id, id, name, public_key)
    select ${organizationId}, ${systemId}, key.id, key.name, key.public_key
      from unnest(${keys.map((key) => key.id)}::text[], ${names}::text[], ${keys.map((key) => key.public_key)}::text[])
        as key (id, name, public_key)
    on conflict (organization_id, system_id, name) do update
       set public_key = excluded.public_key, id = excluded.id, created = clock_timestamp()
     where system_ssh_keys.public_key <> excluded.public_key`)
}
