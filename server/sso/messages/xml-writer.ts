import { invalid } from '../../platform/errors.ts'
import { NAMESPACES, type Prefix } from '../names.ts'

// Writes exclusive canonical XML (W3C xml-exc-c14n) directly, so that the output can be signed as is. A namespace is
// declared where it is first used, attributes are sorted by name, and there are no self-closing tags.

export interface Element {
  name: `${Prefix}:${string}`
  attributes: [name: string, value: string][]
  children: Node[]
}

/** An element serialized on its own, with its namespace declarations; its new parents must not repeat them. */
export interface Written {
  written: string
}

export type Node = Element | Written | string

/** Omits undefined attributes and children. */
export function element(
  name: Element['name'],
  attributes: Record<string, string | undefined> = {},
  ...children: (Node | undefined)[]
): Element {
  const named: Element['attributes'] = []
  for (const attribute in attributes) {
    const value = attributes[attribute]
    if (value !== undefined) named.push([attribute, value])
  }
  if (named.length > 1) named.sort(([a], [b]) => (a < b ? -1 : 1))
  return { name, attributes: named, children: children.filter((child) => child !== undefined) }
}

/** XML 1.0 §2.2: these cannot be written even escaped. Lone surrogates are among them. */
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u

const TEXT: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#xD;' }
const ATTRIBUTE: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
}

/** Fast path: a value without these characters needs neither escaping nor checking. */
const SPECIAL = /[^ !#-%'-;=?-~]/

function allowed(value: string): string {
  if (FORBIDDEN.test(value))
    throw invalid('xml_character', 'A value contains a character that XML does not allow')
  return value
}
const escapeText = (value: string): string =>
  SPECIAL.test(value) ? allowed(value).replace(/[&<>\r]/g, (character) => TEXT[character]!) : value
const escapeAttribute = (value: string): string =>
  SPECIAL.test(value)
    ? allowed(value).replace(/[&<"\t\n\r]/g, (character) => ATTRIBUTE[character]!)
    : value

type Scope = readonly string[]

function opening({ name, attributes }: Element, scope: Scope): { text: string; within: Scope } {
  const prefix = name.slice(0, name.indexOf(':')) as Prefix
  const declared = scope.includes(prefix)
  let text = `<${name}`
  if (!declared) text += ` xmlns:${prefix}="${NAMESPACES[prefix]}"`
  for (const [attribute, value] of attributes) text += ` ${attribute}="${escapeAttribute(value)}"`
  return { text: `${text}>`, within: declared ? scope : [...scope, prefix] }
}

function node(child: Node, scope: Scope): string {
  if (typeof child === 'string') return escapeText(child)
  return 'written' in child ? child.written : write(child, scope)
}

/** The canonical text of an element; `scope` names the prefixes declared around it. */
export function write(root: Element, scope: Scope = []): string {
  const { text, within } = opening(root, scope)
  let body = text
  for (const child of root.children) body += node(child, within)
  return `${body}</${root.name}>`
}

/** The same in two parts, split after the first child, where the signature goes. */
export function writeAround(root: Element): [head: string, tail: string] {
  const { text, within } = opening(root, [])
  const [first, ...rest] = root.children.map((child) => node(child, within))
  return [text + (first ?? ''), `${rest.join('')}</${root.name}>`]
}
