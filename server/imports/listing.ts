import type { Caller } from '../platform/caller.ts'
import { invalid } from '../platform/errors.ts'
import { sourceKey } from './application.ts'
import type { ImportContext } from './context.ts'
import { isReadable, reader } from './incoming.ts'
import { type RowInput, rulesOf } from './job.ts'
import { openSourceOf } from './open-source.ts'
import { planChunk } from './plan-chunk.ts'
import { forCaller, readWithin } from './read.ts'
import { checkGroups } from './rights.ts'
import type { Action, ImportUser, ImportUsersQuery } from './schema.ts'
import type { SourceRecord } from './sources/source.ts'
import { checkQuery, usableSource } from './start.ts'
import { previewBatch } from './try.ts'

const DEFAULT_LIMIT = 100
/** Sorting needs all records in memory. */
const MAX_SORTED = 100_000

interface ImportUsers {
  users: ImportUser[]
  /** Undefined when the source was not read to its end. */
  total: number | undefined
  cursor: string | undefined
}

const STATUS: Record<Action, ImportUser['status']> = {
  create: 'new',
  update: 'changed',
  suspend: 'changed',
  reactivate: 'changed',
  none: 'unchanged',
  skip: 'unchanged',
  park: 'conflicting',
}

function toImportUser({ plan, externalId, write, ...row }: RowInput): ImportUser {
  const { phoneNumbers, description: _, ...fields } = write
  const { state, manager, groups } = row
  return {
    ...(fields as Partial<ImportUser>),
    id: externalId,
    ...(phoneNumbers && {
      phoneNumbers: phoneNumbers.map(({ type, number }) => ({
        ...(type && { type }),
        ...(number && { value: number }),
      })),
    }),
    ...(state && { state }),
    ...(manager !== null && { manager }),
    ...(groups.length > 0 && { groups }),
    status: STATUS[plan.action],
    reason: plan.reason ?? null,
    message: plan.message ?? null,
    userId: plan.userId,
  }
}

function readCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  const text = Buffer.from(cursor, 'base64url').toString()
  const at = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(at))
    throw invalid('bad_cursor', 'cursor: must come from x-cursor of the page before')
  return at
}
const writeCursor = (at: number): string => Buffer.from(String(at)).toString('base64url')

/** Collects the page that was asked for, while the records go by. */
class Page {
  readonly kept: { record: SourceRecord; key: string }[] = []
  total = 0
  readonly #query: ImportUsersQuery
  readonly #read: ReturnType<typeof reader>
  readonly #skip: number
  readonly #limit: number

  constructor(query: ImportUsersQuery, read: ReturnType<typeof reader>) {
    this.#query = query
    this.#read = read
    this.#skip = readCursor(query.cursor) ?? query.skip ?? 0
    this.#limit = query.limit ?? DEFAULT_LIMIT
  }

  get end(): number {
    return this.#skip + this.#limit
  }

  /** Nothing more is needed. */
  get full(): boolean {
    const { isCursor, sort } = this.#query
    return isCursor === true && !sort && this.total > this.end
  }

  add(record: SourceRecord): void {
    const { filter, sort, isCount } = this.#query
    const key = filter || sort ? this.#keyOf(record) : ''
    if (key === null) return
    this.total++
    if (isCount) return
    if (sort && this.kept.length === MAX_SORTED)
      throw invalid('too_many_to_sort', `sort: at most ${MAX_SORTED} records can be sorted`)
    if (sort || (this.total > this.#skip && this.total <= this.end)) this.kept.push({ record, key })
  }

  take(): SourceRecord[] {
    const { sort, sortOrder } = this.#query
    if (!sort) return this.kept.map(({ record }) => record)
    const sign = sortOrder === 'desc' ? -1 : 1
    return this.kept
      .sort((a, b) => sign * (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
      .slice(this.#skip, this.end)
      .map(({ record }) => record)
  }

  /** What the record is sorted by; null when the filter leaves it out. */
  #keyOf(one: SourceRecord): string | null {
    const { filter, sort } = this.#query
    if ('problem' in one) return filter ? null : ''
    const found = this.#read(one.record)
    const { write, externalId } = found
    if (filter) {
      const words = [externalId, write.username, write.email, write.firstname, write.lastname]
      const text = [...words, write.displayname].join('\n').toLowerCase()
      if (!text.includes(filter.toLowerCase())) return null
    }
    if (!sort || !isReadable(found)) return ''
    return (write[sort] ?? '').toLowerCase()
  }
}

/** The people of the source, each compared with the directory. */
export async function listImportUsers(
  context: ImportContext,
  caller: Caller,
  applicationId: string,
  query: ImportUsersQuery,
): Promise<ImportUsers> {
  const { row } = await usableSource(context, sourceKey(caller, applicationId))
  checkGroups(caller, row.settings.mapping)
  const queryString = query.query ?? ''
  checkQuery(row, queryString)
  const read = reader(row.settings.mapping)
  const page = new Page(query, read)
  const source = await openSourceOf(context, row)
  const complete = await forCaller(() =>
    readWithin(source, queryString, (record) => {
      page.add(record)
      return page.full ? 'enough' : 'more'
    }),
  )
  const batch = previewBatch(caller.organizationId, applicationId)
  const rules = rulesOf(batch, row.settings)
  const rows = await planChunk(context, batch, read, rules, page.take())
  return {
    users: rows.map(toImportUser),
    total: complete ? page.total : undefined,
    cursor: query.isCursor && page.total > page.end ? writeCursor(page.end) : undefined,
  }
}
