import { once } from 'node:events'
import type { EventDocument } from './events-pages.ts'
import { printable } from './output.ts'

const WIDTHS = [24, 12, 26, 30, 40]
const HEADS = ['TIME', 'SERVICE', 'EVENT', 'WHO', 'WHAT', 'SUCCESS']

const columns = (cells: string[]): string =>
  cells
    .map((cell, at) => printable(cell).padEnd(WIDTHS[at] ?? 0))
    .join('  ')
    .trimEnd()

type Json = Record<string, unknown>
const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null ? (value as Json) : {}

/** The first of these members that is a non-empty string. */
function firstText(value: unknown, names: string[]): string {
  const object = objectOf(value)
  for (const name of names) {
    const member = object[name]
    if (typeof member === 'string' && member !== '') return member
  }
  return ''
}

const who = (event: EventDocument): string =>
  firstText(event.initiated_by, ['email', 'username', 'name', 'id', 'type']) ||
  firstText(event, ['username'])

function what(event: EventDocument): string {
  const { resource, changes } = event
  const subject = [
    firstText(resource, ['type']),
    firstText(resource, ['name', 'username', 'email', 'id']) ||
      firstText(event.application, ['display_label', 'name', 'id']) ||
      firstText(event.system, ['displayName', 'hostname', 'id']),
  ]
  const fields = (Array.isArray(changes) ? changes : []).map((change) => objectOf(change).field)
  if (fields.length > 0) subject.push(`(${fields.join(', ')})`)
  const words = subject.filter((part) => part !== '').join(' ')
  return words || firstText(event, ['message', 'error_message', 'description'])
}

const success = ({ success }: EventDocument): string =>
  typeof success === 'boolean' ? (success ? 'yes' : 'no') : ''

/** To the millisecond, so that columns align: sources differ in precision. */
function when(event: EventDocument): string {
  const text = firstText(event, ['timestamp'])
  const time = Date.parse(text)
  return Number.isNaN(time) ? text : new Date(time).toISOString()
}

export const headLine = (): string => columns(HEADS)

/** One event as text, in columns of fixed width, as later lines are not known yet. */
export const eventLine = (event: EventDocument): string =>
  columns([
    when(event),
    firstText(event, ['service']),
    firstText(event, ['event_type']),
    who(event),
    what(event),
    success(event),
  ])

/** Respects backpressure of stdout. */
export async function writeOut(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}
