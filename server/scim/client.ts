import { readConfig } from './config.ts'
import { create } from './create.ts'
import type { Change } from './difference.ts'
import { find, type Wanted } from './find.ts'
import { type ListOptions, list } from './list.ts'
import { changeMembers, type MemberChange } from './members.ts'
import type { ScimProvider } from './provider.ts'
import { remove } from './remove.ts'
import { Session } from './session.ts'
import type {
  Remote,
  ResourceType,
  ScimExchange,
  ScimGroup,
  ScimResource,
  ScimUser,
} from './types.ts'
import { update } from './update.ts'
import type { Members } from './write.ts'

/** One unit of work with a provider. Every method may fail with a `ScimFailure`. */
export class ScimClient {
  readonly #session: Session

  constructor(provider: ScimProvider) {
    this.#session = new Session(provider)
  }

  /** The requests sent so far, the first hundred. */
  get chain(): readonly ScimExchange[] {
    return this.#session.chain
  }

  /** Undefined if the provider has none. Changes read it by themselves, once for each connection. */
  serviceProviderConfig(): Promise<Record<string, unknown> | undefined> {
    return readConfig(this.#session)
  }

  /** By externalId, else by name. Several hits are `rejected`; one that belongs to somebody else `exists`. */
  find(type: ResourceType, wanted: Wanted): Promise<Remote | undefined> {
    return find(this.#session, type, wanted)
  }

  get(type: ResourceType, id: string): Promise<Remote> {
    return this.#session.get(type, id)
  }

  /** All resources of a type, or those that match; groups without their members. */
  list(type: ResourceType, options?: ListOptions): AsyncGenerator<Remote> {
    return list(this.#session, type, options)
  }

  /** Does not look for an existing one first. When the response is lost, finds out whether it was created. */
  create(type: 'User', user: ScimUser): Promise<Remote>
  create(type: 'Group', group: ScimGroup): Promise<Remote>
  create(type: ResourceType, resource: ScimResource): Promise<Remote> {
    return create(this.#session, type, resource)
  }

  updateUser(id: string, change: Change): Promise<void> {
    return update(this.#session, 'User', id, change)
  }

  /** Does not change members, but a provider may need all of them. */
  updateGroup(id: string, change: Change, members: Members): Promise<void> {
    return update(this.#session, 'Group', id, change, members)
  }

  /** Fails if the provider says that the user did not change. */
  setActive(id: string, active: boolean): Promise<void> {
    return this.updateUser(id, { before: { active: !active }, after: { active } })
  }

  changeMembers(id: string, change: MemberChange): Promise<void> {
    return changeMembers(this.#session, id, change)
  }

  /** Succeeds if there is nothing to remove. */
  remove(type: ResourceType, id: string): Promise<void> {
    return remove(this.#session, type, id)
  }
}
