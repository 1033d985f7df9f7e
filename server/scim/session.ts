import type { Answer } from './answer.ts'
import { ScimFailure } from './failures.ts'
import type { Query, ScimProvider, ScimRequest } from './provider.ts'
import { readResource } from './resource.ts'
import type { Remote, ResourceType, ScimExchange } from './types.ts'

const MAX_CHAIN = 100

export const nounOf = (type: ResourceType): string => type.toLowerCase()
export const collection = (type: ResourceType): string => `/${type}s`
export const location = (type: ResourceType, id: string): string =>
  `${collection(type)}/${encodeURIComponent(id)}`
/**
 * Members may be many, so they are read only where they are needed. Never sent with a change: SCIMMY 1.3 removes what its
 * response would exclude.
 */
export const withoutMembers = (type: ResourceType): Query =>
  type === 'Group' ? { excludedAttributes: 'members' } : {}

/** The requests of one unit of work. */
export class Session {
  readonly provider: ScimProvider
  /** The first requests; a long list may need thousands. */
  readonly chain: ScimExchange[] = []

  constructor(provider: ScimProvider) {
    this.provider = provider
  }

  async send(request: ScimRequest): Promise<Answer> {
    const { excludedAttributes, ...query } = request.query ?? {}
    try {
      return await this.#send(request)
    } catch (error) {
      if (!excludedAttributes || !(error instanceof ScimFailure) || error.kind !== 'rejected')
        throw error
      // Some providers refuse the parameter instead of ignoring it.
      return await this.#send({ ...request, query })
    }
  }

  #send(request: ScimRequest): Promise<Answer> {
    return this.provider.send(request, (sent) => {
      if (this.chain.length < MAX_CHAIN) this.chain.push(sent)
    })
  }

  /** A response that must be a JSON object. */
  async read(request: ScimRequest) {
    const { content, status } = await this.send(request)
    if (typeof content === 'object') return content
    if (content === 'too_large')
      throw new ScimFailure('rejected', `Could not ${request.to}: the response is too large`, {
        status,
      })
    throw new ScimFailure('misconfigured', `The base URL does not answer with SCIM (${status})`, {
      status,
    })
  }

  async get(type: ResourceType, id: string, query: Query = {}): Promise<Remote> {
    const to = `read the ${nounOf(type)}`
    const content = await this.read({ method: 'GET', path: location(type, id), query, to })
    const resource = readResource(content)
    // Another resource than the one asked for would be changed by mistake.
    if (resource?.id === id) return resource
    throw new ScimFailure(
      'rejected',
      `The provider answered without the ${nounOf(type)} it was asked for`,
    )
  }

  /** Undefined if there is no such resource. */
  lookUp(type: ResourceType, id: string): Promise<Remote | undefined> {
    return this.get(type, id, withoutMembers(type)).catch((error) => {
      if (error instanceof ScimFailure && error.kind === 'not_found') return undefined
      throw error
    })
  }
}
