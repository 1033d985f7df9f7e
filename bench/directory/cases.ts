import {
  A_HUNDREDTH,
  IN_HUNDREDS,
  IN_THOUSANDS,
  idOf,
  NEARLY_ALL,
  NEARLY_ALL_GROUP,
} from './world.ts'

/** A page of a hundred, over HTTP and as the simplest SQL that finds the same ids. */
export interface Case {
  name: string
  path: string
  body?: object
  /** $1 is the organization. */
  sql: string
  /** Answers that add up more than 10,000 ends may take longer. */
  large?: boolean
  /** A group on the way; one of its members leaves or returns before each question. */
  group?: string
}

const list = (
  skip: number,
) => `select * from users where organization_id = $1 and deleted_at is null
  order by id limit 100 offset ${skip}`

const now = 'organization_id = $1 and valid_until is null'
const through = (middle: string, end: 'to' | 'from', start: string) => `
  select distinct far.${end}_id as id from edges near join edges far
      on far.organization_id = near.organization_id and far.valid_until is null and ${middle}
   where near.organization_id = $1 and near.valid_until is null and ${start}`

const usersOf = (application: string, skip: number) => `select id from (
    select from_id as id from edges where ${now} and to_type = 'application' and to_id = '${application}' and from_type = 'user'
    union ${through("far.from_type = 'user_group' and far.from_id = near.from_id and far.to_type = 'user'", 'to', `near.to_type = 'application' and near.to_id = '${application}' and near.from_type = 'user_group'`)}
  ) reached order by id limit 100 offset ${skip}`

function usersOfApplication(name: string, number: number, group: number, skip = 0): Case {
  const application = idOf('application', number)
  return {
    name: `users of an application, ${name}`,
    path: `api/v2/applications/${application}/users?limit=100&skip=${skip}`,
    sql: usersOf(application, skip),
    large: true,
    group: idOf('user_group', group),
  }
}

const person = idOf('user', 5)
/** A member of the system group that the group of all users is bound to. */
const device = idOf('system', 999)

export const CASES: Case[] = [
  { name: 'users, first page', path: 'api/systemusers?limit=100', sql: list(0) },
  {
    name: 'users, page at 50,000',
    path: 'api/systemusers?limit=100&skip=50000',
    sql: list(50_000),
  },
  {
    name: 'search of users, part of a name',
    path: 'api/search/systemusers',
    body: { searchFilter: { searchTerm: 'user4711', fields: ['username'] }, limit: 100 },
    sql: `select * from users where organization_id = $1 and deleted_at is null and username ilike '%user4711%' order by id limit 100`,
  },
  {
    name: 'search of users, in every name',
    path: 'api/search/systemusers',
    body: { searchFilter: { searchTerm: 'last4711' }, limit: 100 },
    sql: `select * from users where organization_id = $1 and deleted_at is null and concat_ws(' ', username, email, firstname, lastname, profile ->> 'displayname') ilike '%last4711%' order by id limit 100`,
  },
  { ...usersOfApplication('some 6,000 through 75 groups', 65, 2), large: false },
  usersOfApplication('all 100,000 of them', 1, 1),
  usersOfApplication('through two groups of nearly everybody', NEARLY_ALL, NEARLY_ALL_GROUP),
  usersOfApplication('through a hundred groups', IN_HUNDREDS, A_HUNDREDTH),
  usersOfApplication('through a hundred groups, page at 50,000', IN_HUNDREDS, A_HUNDREDTH, 50_000),
  usersOfApplication('through 5,000 groups', IN_THOUSANDS, 2),
  {
    name: 'applications of a user',
    path: `api/v2/users/${person}/applications?limit=100`,
    group: idOf('user_group', 1),
    sql: `select id from (
        select to_id as id from edges where ${now} and from_type = 'user' and from_id = '${person}' and to_type = 'application'
        union ${through("far.from_type = 'user_group' and far.from_id = near.from_id and far.to_type = 'application'", 'to', `near.to_type = 'user' and near.to_id = '${person}' and near.from_type = 'user_group'`)}
      ) reached order by id limit 100`,
  },
  {
    name: 'users of a system, all 100,000 of them',
    path: `api/v2/systems/${device}/users?limit=100`,
    large: true,
    group: idOf('user_group', 1),
    sql: `select id from (
        select from_id as id from edges where ${now} and to_type = 'system' and to_id = '${device}' and from_type = 'user'
        union select member.to_id from edges held
          join edges bound on bound.organization_id = held.organization_id and bound.valid_until is null
           and bound.to_type = 'system_group' and bound.to_id = held.from_id and bound.from_type = 'user_group'
          join edges member on member.organization_id = held.organization_id and member.valid_until is null
           and member.from_type = 'user_group' and member.from_id = bound.from_id and member.to_type = 'user'
         where held.organization_id = $1 and held.valid_until is null and held.from_type = 'system_group'
           and held.to_type = 'system' and held.to_id = '${device}'
      ) reached order by id limit 100`,
  },
  {
    name: 'members of a group of 100,000',
    path: `api/v2/usergroups/${idOf('user_group', 1)}/members?limit=100`,
    large: true,
    group: idOf('user_group', 1),
    sql: `select to_id from edges where ${now} and from_type = 'user_group' and from_id = '${idOf('user_group', 1)}' and to_type = 'user' order by to_id limit 100`,
  },
]
