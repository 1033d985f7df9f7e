import { MAX_ITEMS, MAX_TEXT_LENGTH, type Scalar } from './schema.ts'
import { ELEMENT_WORK, fold, isScalar, memberOf } from './values.ts'

/** An element of a list, by one of its members. */
export interface Filter {
  attribute: string
  literal: Scalar
  folded: string
}

/** `attributes.x`: users have a list of `{ name, value }`, other records may have an object. */
export interface CustomAttribute {
  custom: string
}

type Wanted = Filter | CustomAttribute
type Positions = Map<unknown, number>

/** Names are compared exactly: a user may have two attributes that differ in case only. */
const isName = (wanted: Wanted): wanted is CustomAttribute => 'custom' in wanted
const keyOf = (wanted: Wanted): string => (isName(wanted) ? wanted.custom : wanted.folded)

/**
 * Where the elements of lists are, by a member. A list is read once for each member: a thousand paths into a list of a
 * thousand elements would otherwise fold a million texts.
 */
export class ListIndex {
  readonly #lists = new Map<unknown[], Map<string, Positions>>()
  readonly #spend: (work: number) => void

  constructor(spend: (work: number) => void = () => {}) {
    this.#spend = spend
  }

  /** Of several, the first; -1 if there is none. */
  at(list: unknown[], wanted: Wanted): number {
    return this.#positions(list, wanted).get(keyOf(wanted)) ?? -1
  }

  /** The same for an element that `make` adds when there is none. */
  place(list: unknown[], wanted: Wanted, make: () => object): number {
    const positions = this.#positions(list, wanted)
    const known = positions.get(keyOf(wanted))
    if (known !== undefined) return known
    const at = list.push(make()) - 1
    positions.set(keyOf(wanted), at)
    return at
  }

  #positions(list: unknown[], wanted: Wanted): Positions {
    const byMember = this.#lists.get(list) ?? new Map<string, Positions>()
    this.#lists.set(list, byMember)
    const member = isName(wanted) ? '' : wanted.attribute
    const known = byMember.get(member)
    if (known) return known
    const positions = this.#read(list, wanted)
    byMember.set(member, positions)
    return positions
  }

  #read(list: unknown[], wanted: Wanted): Positions {
    const positions: Positions = new Map()
    for (const [at, element] of list.slice(0, MAX_ITEMS).entries()) {
      const value = memberOf(element, isName(wanted) ? 'name' : wanted.attribute)
      this.#spend(ELEMENT_WORK)
      if (!isScalar(value)) continue
      const text = String(value)
      // Texts longer than any in a mapping equal none.
      if (text.length > MAX_TEXT_LENGTH) continue
      this.#spend(text.length)
      const key = isName(wanted) ? value : fold(value)
      if (!positions.has(key)) positions.set(key, at)
    }
    return positions
  }
}
