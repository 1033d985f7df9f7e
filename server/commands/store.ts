import type { Queryable } from '../platform/db/index.ts'
import { type Sql, sql } from '../platform/db/sql.ts'
import type { Field, Resource } from '../platform/list/conditions.ts'
import { readTenantPage } from '../platform/list/page.ts'
import type { ListQuery } from '../platform/list/query.ts'
import type { Command } from './schema.ts'

/** Members stored as JSON under their API names. */
type CommandDetails = Pick<
  Command,
  | 'aiGenerated'
  | 'description'
  | 'files'
  | 'filesS3'
  | 'listensTo'
  | 'scheduleYear'
  | 'shell'
  | 'template'
  | 'templatingRequired'
  | 'timeToLiveSeconds'
>

export interface CommandRow {
  organization_id: string
  id: string
  name: string
  command: string
  command_type: 'linux' | 'mac' | 'windows'
  launch_type: string
  schedule: string
  schedule_repeat_type: string
  trigger: string
  run_as: string
  sudo: boolean
  timeout_seconds: number
  details: CommandDetails
  next_run_at: string | null
}

const string = (column: Sql): Field => ({ column, kind: 'string' })
const detail = (name: string): Field => string(sql`coalesce(details ->> ${name}::text, '')`)

export const commandResource: Resource = {
  fields: {
    _id: string(sql`id`),
    id: string(sql`id`),
    command: string(sql`command`),
    commandType: string(sql`command_type`),
    description: detail('description'),
    launchType: string(sql`launch_type`),
    listensTo: detail('listensTo'),
    name: string(sql`name`),
    organization: string(sql`organization_id`),
    schedule: string(sql`schedule`),
    scheduleRepeatType: string(sql`schedule_repeat_type`),
    shell: detail('shell'),
    sudo: { column: sql`sudo`, kind: 'boolean' },
    template: detail('template'),
    timeout: string(sql`timeout_seconds::text`),
    trigger: string(sql`trigger`),
    user: string(sql`run_as`),
  },
  defaultSort: 'name',
  tieBreak: sql`id`,
  searchFields: ['name', 'command', 'description'],
  maxLimit: 1000,
}

export const listCommands = (db: Queryable, organizationId: string, list: ListQuery) =>
  readTenantPage<CommandRow>(db, sql`commands`, organizationId, sql`true`, list)

export const findCommand = (db: Queryable, organizationId: string, id: string) =>
  db.find<CommandRow>(
    sql`select * from commands where organization_id = ${organizationId} and id = ${id}`,
  )

export const findCommands = (db: Queryable, organizationId: string, ids: string[]) =>
  db.many<CommandRow>(
    sql`select * from commands where organization_id = ${organizationId} and id = any(${ids}::text[])`,
  )

export const lockCommand = (db: Queryable, organizationId: string, id: string) =>
  db.one<CommandRow>(
    sql`select * from commands where organization_id = ${organizationId} and id = ${id} for update`,
  )

export const commandsOfTrigger = (db: Queryable, organizationId: string, trigger: string) =>
  db.many<CommandRow>(sql`
    select * from commands
     where organization_id = ${organizationId} and trigger = ${trigger} and trigger <> '' and launch_type = 'trigger'
     order by name, id`)

export const insertCommand = (db: Queryable, row: CommandRow) =>
  db.run(sql`
    insert into commands (organization_id, id, name, command, command_type, launch_type, schedule, schedule_repeat_type,
                          trigger, run_as, sudo, timeout_seconds, details, next_run_at)
    values (${row.organization_id}, ${row.id}, ${row.name}, ${row.command}, ${row.command_type}, ${row.launch_type},
            ${row.schedule}, ${row.schedule_repeat_type}, ${row.trigger}, ${row.run_as}, ${row.sudo},
            ${row.timeout_seconds}, ${JSON.stringify(row.details)}, ${row.next_run_at})`)

export const saveCommand = (db: Queryable, row: CommandRow) =>
  db.run(sql`
    update commands
       set name = ${row.name}, command = ${row.command}, command_type = ${row.command_type},
           launch_type = ${row.launch_type}, schedule = ${row.schedule}, schedule_repeat_type = ${row.schedule_repeat_type},
           trigger = ${row.trigger}, run_as = ${row.run_as}, sudo = ${row.sudo}, timeout_seconds = ${row.timeout_seconds},
           details = ${JSON.stringify(row.details)}, next_run_at = ${row.next_run_at}
     where organization_id = ${row.organization_id} and id = ${row.id}`)

/** Repeated commands with no next run, or one that is long overdue. */
export const lockUnplanned = (db: Queryable, organizationId: string) =>
  db.many<CommandRow>(sql`
    select * from commands
     where organization_id = ${organizationId} and launch_type in ('repeated', 'scheduled')
       and schedule not in ('', 'immediate')
       and (next_run_at is null or next_run_at < now() - interval '1 hour')
       for update`)

export const saveNextRun = (
  db: Queryable,
  organizationId: string,
  id: string,
  nextRunAt: string | null,
) =>
  db.run(
    sql`update commands set next_run_at = ${nextRunAt} where organization_id = ${organizationId} and id = ${id}`,
  )

/** Deletes pending queue entries too; results are kept. */
export async function deleteCommand(db: Queryable, organizationId: string, id: string) {
  await db.run(
    sql`delete from command_queue where organization_id = ${organizationId} and command_id = ${id}`,
  )
  await db.run(sql`delete from commands where organization_id = ${organizationId} and id = ${id}`)
}
