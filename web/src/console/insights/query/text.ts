import { groupOf, isList, type Leaf, type Scalar, type Term } from './term.ts'

// The language of the query bar: `event_type = sso_auth and not client_ip in (10.0.0.1, 10.0.0.2)`.
// `and` binds closer than `or` and may be left out; values with blanks, commas or parentheses are quoted.

const SYMBOLS: Record<string, string> = {
  eq: '=',
  ne: '!=',
  lt: '<',
  gt: '>',
  lte: '<=',
  gte: '>=',
}
const WORDS = ['contains', 'startsWith', 'endsWith', 'in', 'not_in', 'before', 'after']
const BY_SYMBOL: Record<string, string> = {
  ':': 'eq',
  ...Object.fromEntries(Object.entries(SYMBOLS).map(([operator, symbol]) => [symbol, operator])),
}
const KEYWORD = /^(and|or|not)$/i
const FIELD = /[^\s(),"=<>!:]+/y
const VALUE = /[^\s(),"]+/y
const QUOTED = /"(?:[^"\\]|\\.)*"/y
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** How an operator is written. */
export const written = (operator: string): string => SYMBOLS[operator] ?? operator

export class QueryError extends Error {
  /** Position in the text. */
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

/** What may be typed at the end of a text, for completion. */
interface Expected {
  kind: 'field' | 'operator' | 'value' | 'connective'
  /** Where the word begins that is being typed. */
  from: number
  /** Of an operator or value. */
  field?: string
}

class Parser {
  readonly #text: string
  #at = 0
  expected: Expected = { kind: 'field', from: 0 }

  constructor(text: string) {
    this.#text = text
  }

  whole(): Term | null {
    this.#expect('field')
    if (this.#at === this.#text.length) return null
    const term = this.#or()
    if (this.#at < this.#text.length) throw this.#error('Expected and, or, or the end')
    return term
  }

  #error(message: string): QueryError {
    const found = this.#text.slice(this.#at, this.#at + 20)
    return new QueryError(found ? `${message}, found ${found}` : message, this.#at)
  }

  /** Skips blanks. A word that reaches the end of the text may still be continued. */
  #expect(kind: Expected['kind'], field?: string): void {
    const before = this.#at
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++
    const typing = before === this.#at && /[^\s(),=<>!:]/.test(this.#text[this.#at - 1] ?? '')
    if (typing && this.#at === this.#text.length) return
    this.expected = { kind, from: this.#at, ...(field !== undefined && { field }) }
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? null
    if (found !== null) this.#at += found.length
    return found
  }

  #punctuation(char: string): boolean {
    if (this.#text[this.#at] !== char) return false
    this.#at++
    return true
  }

  /** Consumes the word if it comes next. */
  #keyword(word: string): boolean {
    const start = this.#at
    const found = this.#match(FIELD)
    if (found?.toLowerCase() === word && this.#text[this.#at] !== '"') return true
    this.#at = start
    return false
  }

  #or(): Term {
    const terms = [this.#and()]
    while (this.#keyword('or')) terms.push(this.#and())
    return groupOf('or', terms)!
  }

  #and(): Term {
    const terms = [this.#term()]
    for (;;) {
      this.#expect('connective')
      const next = this.#text[this.#at]
      if (next === undefined || next === ')') break
      const start = this.#at
      if (this.#keyword('or')) {
        this.#at = start
        break
      }
      this.#keyword('and')
      terms.push(this.#term())
    }
    return groupOf('and', terms)!
  }

  #term(): Term {
    this.#expect('field')
    if (this.#keyword('not')) return { type: 'not', term: this.#term() }
    if (!this.#punctuation('(')) return this.#leaf()
    const term = this.#or()
    if (!this.#punctuation(')')) throw this.#error('Expected )')
    return term
  }

  #leaf(): Leaf {
    const start = this.#at
    const field = this.#quoted() ?? this.#match(FIELD)
    if (field === null) throw this.#error('Expected a field')
    if (KEYWORD.test(field) && this.#text[start] !== '"') {
      this.#at = start
      throw this.#error('Expected a field')
    }
    this.#expect('operator', field)
    const operator = this.#operator(field)
    this.#expect('value', field)
    const value = isList(operator) ? this.#list(field) : this.#value()
    return { type: 'leaf', field, operator, value }
  }

  #operator(field: string): string {
    const symbol = this.#match(/!=|<=|>=|[=<>:]/y)
    if (symbol !== null) return BY_SYMBOL[symbol]!
    const start = this.#at
    const word = this.#match(/[a-z_]+/iy)
    const operator = WORDS.find((one) => one.toLowerCase() === word?.toLowerCase())
    if (operator) return operator
    this.#at = start
    throw this.#error(`Expected an operator after ${field}, such as = or contains`)
  }

  #list(field: string): Scalar[] {
    if (!this.#punctuation('(')) throw this.#error('Expected a list, such as (a, b)')
    const values: Scalar[] = []
    do {
      this.#expect('value', field)
      values.push(this.#value())
      this.#expect('connective')
    } while (this.#punctuation(','))
    if (!this.#punctuation(')')) throw this.#error('Expected , or )')
    return values
  }

  #quoted(): string | null {
    const start = this.#at
    const found = this.#match(QUOTED)
    if (found === null) return null
    try {
      return JSON.parse(found)
    } catch {
      this.#at = start
      throw this.#error('Not a valid quoted text')
    }
  }

  #value(): Scalar {
    const quoted = this.#quoted()
    if (quoted !== null) return quoted
    const word = this.#match(VALUE)
    if (word === null) throw this.#error('Expected a value')
    return read(word)
  }
}

function read(word: string): Scalar {
  if (word === 'true' || word === 'false') return word === 'true'
  return NUMBER.test(word) && Number.isFinite(Number(word)) ? Number(word) : word
}

/** Null for an empty text. Throws a QueryError. */
export const parseQuery = (text: string): Term | null => new Parser(text).whole()

/** What the text expects at its end. */
export function expectedAtEnd(text: string): Expected {
  const parser = new Parser(text)
  try {
    parser.whole()
  } catch {
    // A text that is being typed is rarely complete.
  }
  return parser.expected
}

export function printValue(value: Scalar): string {
  const text = String(value)
  if (typeof value !== 'string') return text
  return /^[^\s(),"]+$/.test(text) && read(text) === text ? text : JSON.stringify(text)
}

export const printField = (field: string): string =>
  /^[^\s(),"=<>!:]+$/.test(field) && !KEYWORD.test(field) ? field : JSON.stringify(field)

function printLeaf({ field, operator, value }: Leaf): string {
  const shown = Array.isArray(value) ? `(${value.map(printValue).join(', ')})` : printValue(value)
  return `${printField(field)} ${written(operator)} ${shown}`
}

/** Parentheses only where they change the meaning. */
function print(term: Term, within: 'and' | 'or' | 'not' | null): string {
  if (term.type === 'leaf') return printLeaf(term)
  if (term.type === 'not') return `not ${print(term.term, 'not')}`
  const text = term.terms.map((one) => print(one, term.type)).join(` ${term.type} `)
  return within === 'not' || (within === 'and' && term.type === 'or') ? `(${text})` : text
}

export const printQuery = (term: Term | null): string => (term === null ? '' : print(term, null))

/** The query with a further condition; one that contradicts it or is there already is replaced. */
export function withCondition(text: string, leaf: Leaf): string {
  const same = (term: Term) =>
    term.type === 'leaf' &&
    term.field === leaf.field &&
    String(term.value) === String(leaf.value) &&
    ['eq', 'ne'].includes(term.operator)
  let query: Term | null
  try {
    query = parseQuery(text)
  } catch {
    query = null
  }
  const terms = query === null ? [] : query.type === 'and' ? query.terms : [query]
  return printQuery(groupOf('and', [...terms.filter((term) => !same(term)), leaf]))
}
