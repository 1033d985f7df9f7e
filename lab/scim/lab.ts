import type { Faults } from './faults.ts'
import type { Profile, ProfileName } from './profiles.ts'
import type { Store } from './store.ts'

/** The state of one running provider. */
export interface Lab {
  /** May change while it runs. */
  profile: Profile
  name: ProfileName
  readonly store: Store
  readonly faults: Faults
  readonly token: string
  readonly now: () => number
  /** Ends delays. */
  readonly stopping: AbortSignal
  /** The base URL, known once the lab listens. */
  url: string
  use(name: ProfileName): void
}
