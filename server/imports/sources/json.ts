import { messageOf } from '../../platform/errors.ts'
import { parsePath, readPath } from '../../platform/mapping/paths.ts'
import { SourceFailure } from './failures.ts'
import type { SourceRecord } from './source.ts'

/** Characters of a page; a longer list has to be sent in pages, or as JSON Lines. */
const MAX_DOCUMENT = 64 * 1024 * 1024
/** Characters of a line or row. */
export const MAX_RECORD = 16 * 1024 * 1024
const MAX_EXCERPT = 200

export const excerptOf = (text: string): string =>
  text
    .slice(0, MAX_EXCERPT)
    .toWellFormed()
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()

/** Where a record stands, for the person who has to find it. */
export const tooLong = (where: string): SourceRecord => ({
  problem: `${where} is longer than ${MAX_RECORD / 1024 / 1024} MB`,
})

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** More than any record needs; what reads a record recursively is safe. */
const MAX_DEPTH = 100

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1)))

export function toRecord(value: unknown, where: string): SourceRecord {
  if (isDeeper(value, MAX_DEPTH))
    return { problem: `${where} is nested deeper than ${MAX_DEPTH} levels` }
  if (isObject(value)) return { record: value }
  return { problem: `${where} is not an object`, excerpt: excerptOf(JSON.stringify(value)) }
}

export async function readDocument(text: AsyncIterable<string>): Promise<unknown> {
  let whole = ''
  for await (const piece of text) {
    whole += piece
    if (whole.length > MAX_DOCUMENT)
      throw new SourceFailure(
        'rejected',
        'The JSON is longer than 64 MB; ask for smaller pages, or use JSON Lines',
      )
  }
  try {
    return JSON.parse(whole)
  } catch (error) {
    throw new SourceFailure('rejected', `The JSON is invalid: ${messageOf(error)}`)
  }
}

/** A path of the settings, which have been checked. */
export const memberAt = (document: unknown, path: string): unknown =>
  readPath(parsePath(path) ?? [], document)

/** A later page may leave an empty list out. */
export function listIn(document: unknown, path: string | null, firstPage: boolean): unknown[] {
  const list = path === null ? document : memberAt(document, path)
  if (Array.isArray(list)) return list
  if (!firstPage && path !== null && (list === undefined || list === null)) return []
  const members = isObject(document) ? Object.keys(document).slice(0, 20).join(', ') : ''
  const has = members && `; the response has the members ${members.slice(0, 500)}`
  throw new SourceFailure(
    'misconfigured',
    path === null
      ? `The response is not a list: set recordPath${has}`
      : `recordPath: there is no list at ${path}${has}`,
  )
}
