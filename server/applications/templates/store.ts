import type { Queryable } from '../../platform/db/index.ts'
import { identifier, sql } from '../../platform/db/sql.ts'
import type { Field, Resource } from '../../platform/list/conditions.ts'
import { type Page, readPage } from '../../platform/list/page.ts'
import type { ListQuery } from '../../platform/list/query.ts'
import { TEMPLATES } from '../catalogue.ts'

// Templates are files, but their lists work like all others: the catalogue is passed to the database, which filters and
// sorts it.

const text = (column: string): Field => ({ column: identifier(column), kind: 'string' })
const constant = (value: boolean): Field => ({ column: sql`${value}`, kind: 'boolean' })

export const templateResource: Resource = {
  fields: {
    _id: text('id'),
    id: text('id'),
    name: text('name'),
    displayName: text('display_name'),
    displayLabel: text('display_name'),
    description: text('description'),
    learnMore: text('learn_more'),
    keywords: text('keywords'),
    active: constant(true),
    beta: constant(false),
    'sso.type': text('sso_type'),
  },
  defaultSort: 'name',
  tieBreak: sql`id`,
  searchFields: ['name', 'displayName', 'keywords'],
  maxLimit: 1000,
}

const catalogue = JSON.stringify(
  [...TEMPLATES.values()].map((template) => ({
    id: template.id,
    name: template.name,
    display_name: template.displayName,
    description: template.description,
    learn_more: template.learnMore,
    keywords: template.keywords.join(' '),
    sso_type: template.sso.type,
  })),
)

export const readTemplateNames = (
  db: Queryable,
  list: ListQuery,
): Promise<Page<{ name: string }>> =>
  readPage(
    db,
    sql`name`,
    sql`jsonb_to_recordset(${catalogue}::jsonb) as template (id text, name text, display_name text, description text,
          learn_more text, keywords text, sso_type text)`,
    sql`true`,
    list,
  )
