import { ScimFailure } from './failures.ts'
import { list } from './list.ts'
import { nounOf, type Session } from './session.ts'
import type { Remote, ResourceType } from './types.ts'

export interface Wanted {
  externalId?: string
  /** The userName of a user, the displayName of a group. */
  name: string
}

export const NAME = { User: 'userName', Group: 'displayName' } as const
type Attribute = 'externalId' | 'userName' | 'displayName'

/** Statuses with which providers refuse a filter. */
const UNSUPPORTED = new Set([400, 405, 422, 501])
/** A refusal of any other value may be about the value. */
const SIMPLE = /^[\w.@+-]+$/

// RFC 7643 §4.1.1, §4.2: names are not case-sensitive, externalId is.
const fold = (text: string): string => text.normalize('NFC').toLowerCase()
const has = (resource: Remote, attribute: Attribute, value: string): boolean => {
  const own = resource[attribute] ?? ''
  return attribute === 'externalId' ? own === value : fold(own) === fold(value)
}

function only(hits: Remote[], type: ResourceType, words: string): Remote | undefined {
  if (hits.length < 2) return hits[0]
  throw new ScimFailure('rejected', `The provider has several ${nounOf(type)}s with ${words}`)
}

/** All resources with this value; undefined if the provider cannot filter by the attribute. */
async function search(
  session: Session,
  type: ResourceType,
  attribute: Attribute,
  value: string,
): Promise<Remote[] | undefined> {
  const { provider } = session
  if (provider.quirks.unfilterable?.includes(attribute)) return undefined
  const unfilterable = () => {
    const names = new Set(provider.quirks.unfilterable).add(attribute)
    provider.learn({ unfilterable: [...names].sort() })
    return undefined
  }
  const hits: Remote[] = []
  try {
    const filter = `${attribute} eq ${JSON.stringify(value)}`
    for await (const resource of list(session, type, { filter })) {
      // A provider that ignores the filter returns everything.
      if (!has(resource, attribute, value)) return unfilterable()
      hits.push(resource)
    }
  } catch (error) {
    if (!(error instanceof ScimFailure)) throw error
    // Some providers answer so when nothing matches.
    if (error.kind === 'not_found') return []
    if (!UNSUPPORTED.has(error.status ?? 0)) throw error
    return SIMPLE.test(value) ? unfilterable() : undefined
  }
  return hits
}

/** Reads everything: for providers that do not filter. */
async function scan(session: Session, type: ResourceType, { externalId, name }: Wanted) {
  const ours: Remote[] = []
  const namesakes: Remote[] = []
  for await (const resource of list(session, type)) {
    if (externalId !== undefined && has(resource, 'externalId', externalId)) ours.push(resource)
    else if (has(resource, NAME[type], name)) namesakes.push(resource)
  }
  return ours.length > 0 ? ours : namesakes
}

/** By externalId, else by name. Never returns a resource that belongs to somebody else. */
export async function find(
  session: Session,
  type: ResourceType,
  wanted: Wanted,
): Promise<Remote | undefined> {
  const { externalId, name } = wanted
  if (externalId !== undefined) {
    const hits = (await search(session, type, 'externalId', externalId)) ?? []
    const hit = only(hits, type, `the externalId ${externalId}`)
    if (hit) return hit
  }
  const attribute = NAME[type]
  const hits = (await search(session, type, attribute, name)) ?? (await scan(session, type, wanted))
  const hit = only(hits, type, `the ${attribute} ${name}`)
  const owner = hit?.externalId ?? ''
  if (externalId !== undefined && owner !== '' && owner !== externalId)
    throw new ScimFailure(
      'exists',
      `The provider's ${nounOf(type)} ${name} belongs to somebody else: its externalId is ${owner}`,
    )
  return hit
}
