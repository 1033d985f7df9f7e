import { OidcRefusal } from './refusal.ts'

/** More than legitimate clients send; parameters travel in URLs. */
const MAX_LENGTH = 2048
/** ID tokens contain the groups of the user. */
const MAX_LENGTHS: Record<string, number> = { id_token_hint: 12_288 }

/** RFC 6749 §3.1: a parameter without a value counts as not sent, and none may be repeated. */
export class Params {
  readonly #values = new Map<string, string>()
  readonly #repeated = new Set<string>()

  constructor(sent: URLSearchParams) {
    for (const [name, value] of sent) {
      if (value === '') continue
      if (this.#values.has(name)) this.#repeated.add(name)
      this.#values.set(name, value)
    }
  }

  get(name: string): string | undefined {
    const value = this.#values.get(name)
    if (this.#repeated.has(name)) throw invalid(name, 'was sent more than once')
    if (value === undefined) return undefined
    const limit = MAX_LENGTHS[name] ?? MAX_LENGTH
    if (value.length > limit) throw invalid(name, `is longer than ${limit} characters`)
    if (/\p{Cc}/u.test(value)) throw invalid(name, 'contains a control character')
    return value
  }

  required(name: string): string {
    const value = this.get(name)
    if (value === undefined) throw invalid(name, 'is missing')
    return value
  }

  /** The named parameters that were sent, as a query string. */
  query(names: readonly string[]): URLSearchParams {
    return new URLSearchParams(
      names.flatMap((name) => {
        const value = this.get(name)
        return value === undefined ? [] : [[name, value]]
      }),
    )
  }
}

const invalid = (name: string, problem: string) =>
  new OidcRefusal('invalid_request', 'bad_parameter', `${name} ${problem}`)
