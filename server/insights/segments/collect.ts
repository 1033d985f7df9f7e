import { isSearchable } from '../fields.ts'
import { isScalar } from '../scalars.ts'
import { type Column, ColumnBuilder } from './column.ts'

// Takes documents apart into fields, as search terms see them: a name looks into a list, but not into a list in it;
// values are found in a list and in the lists of a list.

type Json = Record<string, unknown>

/** A field and the fields below it. */
interface Node {
  path: string
  members: Map<string, Node>
  values: ColumnBuilder | null
  /** Some value is in a list of a list. */
  deep: boolean
}

const newNode = (path: string): Node => ({ path, members: new Map(), values: null, deep: false })

export class FieldCollector {
  readonly #root = newNode('')
  /** Whether every field is collected, or only those named. */
  readonly #all: boolean
  /** Whether values in lists of lists count: searches find them, distinct values leave them out. */
  readonly #deep: boolean
  #events = 0

  constructor(fields: readonly string[] | null, deep: boolean) {
    this.#all = fields === null
    this.#deep = deep
    for (const field of fields ?? []) {
      let node = this.#root
      for (const name of field.split('.')) node = this.#member(node, name)
      node.values = new ColumnBuilder()
    }
  }

  #member(parent: Node, name: string): Node {
    const known = parent.members.get(name)
    if (known) return known
    const member = newNode(parent === this.#root ? name : `${parent.path}.${name}`)
    parent.members.set(name, member)
    return member
  }

  /** The next event. */
  add(service: string, document: Json): void {
    const place = this.#events++
    this.#members(this.#root, document, place)
    const node = this.#all ? this.#member(this.#root, 'service') : this.#root.members.get('service')
    if (node && this.#all) node.values ??= new ColumnBuilder()
    node?.values?.add(place, service)
  }

  #members(node: Node, value: Json, place: number): void {
    if (!this.#all) {
      for (const [name, member] of node.members)
        if (Object.hasOwn(value, name)) this.#collect(member, value[name], 0, place)
      return
    }
    for (const name in value) {
      // A field's name cannot say that a member has a dot in its own.
      if (name.includes('.') || (node === this.#root && !isSearchable(name))) continue
      this.#collect(this.#member(node, name), value[name], 0, place)
    }
  }

  /**
   * Documents of some services do not name their service. The time as a text is different for each event: no column, but
   * it may be asked for.
   */
  #isOfTheRow(path: string): boolean {
    return path === 'service' || (this.#all && path === 'timestamp')
  }

  #collect(node: Node, value: unknown, depth: number, place: number): void {
    if (Array.isArray(value)) {
      if (depth < 2) for (const element of value) this.#collect(node, element, depth + 1, place)
    } else if (typeof value === 'object' && value !== null) {
      if (depth < 2) this.#members(node, value as Json, place)
    } else if (isScalar(value) && !this.#isOfTheRow(node.path)) {
      if (depth === 2) {
        node.deep = true
        if (!this.#deep) return
      }
      if (this.#all) node.values ??= new ColumnBuilder()
      node.values?.add(place, value)
    }
  }

  /** The fields that have values, those with values in lists of lists apart: a column cannot tell them from others. */
  fields(): { plain: Map<string, ColumnBuilder>; deep: string[] } {
    const plain = new Map<string, ColumnBuilder>()
    const deep: string[] = []
    const visit = (node: Node) => {
      if (node.deep) deep.push(node.path)
      else if (node.values && node.values.values > 0) plain.set(node.path, node.values)
      for (const member of node.members.values()) visit(member)
    }
    for (const member of this.#root.members.values()) visit(member)
    return { plain, deep }
  }

  /** The named fields as columns; a field without values has none. */
  columns(): Map<string, Column> {
    const columns = new Map<string, Column>()
    const visit = (node: Node) => {
      if (node.values && node.values.values > 0)
        columns.set(node.path, node.values.column(this.#events))
      for (const member of node.members.values()) visit(member)
    }
    for (const member of this.#root.members.values()) visit(member)
    return columns
  }
}
