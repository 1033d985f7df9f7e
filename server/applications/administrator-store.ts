import type { Queryable } from '../platform/db.ts'
import { sql } from '../platform/sql.ts'

// Administrators belong to another slice; only read here.

export interface AdministratorRow {
  email: string
  role_ids: string[]
  /** The organization or provider that the roles are those of. */
  home: string
}

/** Those of the organization, and those of its provider who are linked to it. */
export const administratorsOf = (db: Queryable, organizationId: string) =>
  db.many<AdministratorRow>(sql`
    select a.email, a.role_ids, coalesce(a.organization, a.provider) as home from administrators a
     where not a.suspended and (a.organization = ${organizationId} or exists (
       select from administrator_organizations l
        where l.administrator_id = a.id and l.organization = ${organizationId}))
     order by lower(a.email)`)
