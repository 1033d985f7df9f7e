import type { IncomingHttpHeaders } from 'node:http'
import { SourceFailure } from './failures.ts'
import { memberAt } from './json.ts'
import { nextLink } from './link-header.ts'
import type { Paging } from './settings.ts'

/** A page that was read to its end. */
export interface ReadPage {
  /** Where it came from, after redirects. */
  url: string
  headers: IncomingHttpHeaders
  /** Of JSON. */
  document: unknown
  /** Records, including those that could not be read. */
  count: number
}

interface Pager {
  first: URL
  /** Undefined after the last page. */
  next(page: ReadPage): URL | undefined
}

export const repeats = () =>
  new SourceFailure(
    'rejected',
    'The source repeats its pages; check the type of paging and the names of its parameters',
  )

/** Not +, which not every server reads as a space. */
export function withParameters(url: URL, parameters: Record<string, string | number>): URL {
  const changed = new URL(url)
  const search = new URLSearchParams(url.search)
  for (const [name, value] of Object.entries(parameters)) search.set(name, String(value))
  changed.search = search.toString().replaceAll('+', '%20')
  return changed
}

function totalOf({ headers, document }: ReadPage, path: string | null): number | undefined {
  const said = path === null ? headers['x-total-count'] : memberAt(document, path)
  const total = typeof said === 'string' && said.trim() !== '' ? Number(said) : said
  return typeof total === 'number' && Number.isSafeInteger(total) && total >= 0 ? total : undefined
}

/**
 * The end of a list that is asked for by numbers: when the total was received, else an empty page, else a page that is
 * shorter than the ones before. A first page that is short proves nothing: the source may allow only smaller pages.
 */
class Progress {
  readonly #pageSize: number | undefined
  readonly #totalPath: string | null
  #sawFullPage = false
  received = 0

  constructor(pageSize: number | undefined, totalPath: string | null) {
    this.#pageSize = pageSize
    this.#totalPath = totalPath
  }

  /** Whether there may be more. */
  add(page: ReadPage): boolean {
    const { count } = page
    const isFirst = this.received === 0
    this.received += count
    const total = totalOf(page, this.#totalPath)
    // A number of pages, for example: the list would seem to end here.
    if (isFirst && this.#totalPath !== null && total !== undefined && count > total)
      throw new SourceFailure(
        'misconfigured',
        `paging.totalPath: the first page has ${count} records, but the total is ${total}`,
      )
    const missing = total !== undefined && this.received < total
    if (count === 0 && missing)
      throw new SourceFailure(
        'rejected',
        `The source ended after ${this.received} of ${total} records`,
      )
    if (total !== undefined) return missing
    const isFull = this.#pageSize !== undefined && count >= this.#pageSize
    const isLast = this.#sawFullPage && !isFull
    this.#sawFullPage ||= isFull
    return count > 0 && !isLast
  }
}

type Of<T extends Paging['type']> = Extract<Paging, { type: T }>

function byOffset(url: URL, paging: Of<'offset'>): Pager {
  const { limitParam, offsetParam, pageSize, totalPath } = paging
  const progress = new Progress(pageSize, totalPath)
  const at = (offset: number) =>
    withParameters(url, { [limitParam]: pageSize, [offsetParam]: offset })
  return {
    first: at(0),
    next: (page) => (progress.add(page) ? at(progress.received) : undefined),
  }
}

function byNumber(url: URL, paging: Of<'page'>): Pager {
  const { pageParam, sizeParam, firstPage, pageSize, totalPath } = paging
  const progress = new Progress(sizeParam === null ? undefined : pageSize, totalPath)
  const at = (number: number) =>
    withParameters(url, {
      ...(sizeParam !== null && { [sizeParam]: pageSize }),
      [pageParam]: number,
    })
  let number = firstPage
  return {
    first: at(number),
    next: (page) => (progress.add(page) ? at(++number) : undefined),
  }
}

function byCursor(url: URL, paging: Of<'cursor'>): Pager {
  const { cursorParam, cursorPath, sizeParam, pageSize } = paging
  const sized = sizeParam === null ? url : withParameters(url, { [sizeParam]: pageSize })
  const seen = new Set<string>()
  let sent: string | undefined
  return {
    first: sized,
    next({ document, headers, count }) {
      const member = memberAt(document, cursorPath)
      const value = member === undefined ? headers[cursorPath.toLowerCase()] : member
      // Else a wrong path would end the list here, and those on later pages would seem to have left.
      if (value === undefined && !sent && sizeParam !== null && count >= pageSize)
        throw new SourceFailure(
          'misconfigured',
          `paging.cursorPath: the first page is full, but has no ${cursorPath}. If there are no more than its ${count} records, change paging.pageSize`,
        )
      if (value === undefined || value === null || value === '' || value === false) return undefined
      if (typeof value !== 'string' && typeof value !== 'number')
        throw new SourceFailure('misconfigured', `paging.cursorPath: ${cursorPath} is not a text`)
      const cursor = String(value)
      // Some sources keep their last cursor when nothing is left.
      if (count === 0 && cursor === sent) return undefined
      if (seen.has(cursor)) throw repeats()
      seen.add(cursor)
      sent = cursor
      return withParameters(sized, { [cursorParam]: cursor })
    },
  }
}

function byLink(url: URL, { nextPath }: Of<'link'>): Pager {
  const seen = new Set([url.href])
  return {
    first: url,
    next(page) {
      const said = nextPath === null ? page.headers.link : memberAt(page.document, nextPath)
      const target = nextPath === null && said ? nextLink(String(said)) : said
      if (target === undefined || target === null || target === '') return undefined
      const next = URL.parse(String(target), page.url)
      if (!next) throw new SourceFailure('misconfigured', 'The link to the next page is invalid')
      // The credentials go along, and whoever can write a link must not get them.
      if (next.origin !== url.origin)
        throw new SourceFailure(
          'misconfigured',
          `The link to the next page leads to another origin, ${next.origin}`,
        )
      if (seen.has(next.href)) throw repeats()
      seen.add(next.href)
      return next
    },
  }
}

export function startPaging(url: URL, paging: Paging): Pager {
  switch (paging.type) {
    case 'none':
      return { first: url, next: () => undefined }
    case 'offset':
      return byOffset(url, paging)
    case 'page':
      return byNumber(url, paging)
    case 'cursor':
      return byCursor(url, paging)
    case 'link':
      return byLink(url, paging)
  }
}
