import { OidcRefusal } from './refusal.ts'

/** Longer than what honest clients send; all of it travels in addresses. */
const LONGEST = 2048

/** RFC 6749 §3.1: one without a value counts as not sent, and none may come twice. */
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
    if (value.length > LONGEST) throw invalid(name, `has more than ${LONGEST} characters`)
    if (/\p{Cc}/u.test(value)) throw invalid(name, 'has a control character')
    return value
  }

  required(name: string): string {
    const value = this.get(name)
    if (value === undefined) throw invalid(name, 'is missing')
    return value
  }

  /** Those of the names that were sent, as part of an address. */
  query(names: readonly string[]): URLSearchParams {
    return new URLSearchParams(
      names.flatMap((name) => {
        const value = this.get(name)
        return value === undefined ? [] : [[name, value]]
      }),
    )
  }
}

const invalid = (name: string, words: string) =>
  new OidcRefusal('invalid_request', 'bad_parameter', `${name} ${words}`)
