import { withoutTrailing } from '../../platform/trailing.ts'
import { Authorization, joinAuth, unanswered } from '../../scim/index.ts'
import { Attempts } from './attempts.ts'
import { decode } from './decode.ts'
import { Delivered } from './delivered.ts'
import { SourceFailure } from './failures.ts'
import { type ReadPage, repeats, startPaging, withParameters } from './paging.ts'
import { readRecords } from './records.ts'
import { acceptOf, checkType, refusal, refuseWebPages } from './response.ts'
import type { RestSettings } from './settings.ts'
import type { ReadLimits, ReadOptions, Source, SourceDependencies, SourceRecord } from './source.ts'

/** Reports of HR systems may take minutes to begin. */
const LIMITS: ReadLimits = { headersMs: 180_000, idleMs: 60_000, maxPages: 20_000 }

/** The parameters of the base URL, then of the settings, then of the request; later ones replace earlier ones. */
function addressOf({ baseUrl, listPath, query }: RestSettings, asked = ''): URL {
  const base = new URL(baseUrl)
  base.hash = ''
  const path = listPath.replace(/^\/+/, '')
  if (path !== '') base.pathname = `${withoutTrailing('/', base.pathname)}/${path}`
  const url = withParameters(base, query)
  const search = new URLSearchParams(url.search)
  const wanted = new URLSearchParams(asked)
  for (const name of wanted.keys()) search.delete(name)
  for (const [name, value] of wanted) search.append(name, value)
  url.search = search.toString().replaceAll('+', '%20')
  return url
}

interface DigestedPage extends ReadPage {
  /** Of its records. */
  digest: string
}

export class RestReader implements Source {
  readonly #settings: RestSettings
  readonly #dependencies: SourceDependencies
  readonly #limits: ReadLimits
  readonly #authorization: Authorization | undefined

  constructor(settings: RestSettings, secret: string | null, dependencies: SourceDependencies) {
    const { outbound, now = Date.now } = dependencies
    const { auth } = settings
    this.#settings = settings
    this.#dependencies = dependencies
    this.#limits = { ...LIMITS, ...dependencies.limits }
    if (auth.type !== 'none')
      this.#authorization = new Authorization(joinAuth(auth, secret ?? ''), outbound, now)
  }

  async *read(options: ReadOptions = {}): AsyncGenerator<SourceRecord[]> {
    const pager = startPaging(addressOf(this.#settings, options.query), this.#settings.paging)
    let url: URL | undefined = pager.first
    let before: string | undefined
    for (let number = 0; url; number++) {
      if (number === this.#limits.maxPages)
        throw new SourceFailure('rejected', `The source has more than ${number} pages`)
      const page: DigestedPage = yield* this.#page(url, number === 0, options)
      if (page.count > 0 && page.digest === before) throw repeats()
      before = page.digest
      url = pager.next(page)
    }
  }

  /** After a failure the page is requested again, and continued behind the records that were delivered. */
  async *#page(
    url: URL,
    firstPage: boolean,
    options: ReadOptions,
  ): AsyncGenerator<SourceRecord[], DigestedPage> {
    const attempts = new Attempts(options, this.#dependencies.wait)
    const delivered = new Delivered()
    for (;;) {
      try {
        const page: ReadPage = { url: url.href, headers: {}, document: undefined, count: 0 }
        delivered.startAgain()
        for await (const batch of this.#attempt(url, firstPage, page, options.signal)) {
          const fresh = delivered.fresh(batch)
          if (fresh.length > 0) yield fresh
        }
        delivered.end()
        return { ...page, count: delivered.count, digest: delivered.digest() }
      } catch (error) {
        await attempts.after(unanswered(error, 'read the source'))
      }
    }
  }

  async *#attempt(
    url: URL,
    firstPage: boolean,
    page: ReadPage,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<SourceRecord[]> {
    const { format } = this.#settings
    const response = await this.#send(url, signal)
    const { status, body } = response
    try {
      if (status < 200 || status >= 300) throw await this.#refusal(response)
      page.url = response.url
      page.headers = response.headers
      const text = refuseWebPages(decode(body, checkType(response, format)), status)
      const onDocument = (document: unknown) => {
        page.document = document
      }
      yield* readRecords(text, this.#settings, { firstPage, onDocument })
    } finally {
      body.destroy()
    }
  }

  #refusal(response: Parameters<typeof refusal>[0]): Promise<SourceFailure> {
    const { now = Date.now } = this.#dependencies
    return refusal(response, this.#authorization?.redact ?? ((text) => text), now())
  }

  /** An access token may have expired: one refusal is no refusal. */
  async #send(url: URL, signal: AbortSignal | undefined) {
    const headers = (await this.#authorization?.headers()) ?? {}
    const response = await this.#once(url, headers, signal)
    if (response.status !== 401 || !this.#authorization?.refused(headers)) return response
    response.body.destroy()
    return this.#once(url, await this.#authorization.headers(), signal)
  }

  #once(url: URL, authorization: Record<string, string>, signal: AbortSignal | undefined) {
    const { outbound, throttleKey } = this.#dependencies
    const { headersMs, idleMs } = this.#limits
    const { format, limits } = this.#settings
    const { perSecond } = limits
    return outbound.stream(url.href, {
      headers: { accept: acceptOf(format), ...authorization },
      throttle: { key: throttleKey, concurrency: 1, ...(perSecond !== null && { perSecond }) },
      headersMs,
      idleMs,
      ...(signal && { signal }),
    })
  }
}
