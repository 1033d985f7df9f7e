import { useChange } from '../changes.ts'
import { useGo } from '../link.tsx'
import { nameOf } from './name.ts'
import { type User, userKey } from './user.ts'

const touches = [['users']]

/** A change of state is shown at once. */
const expect = (user: User, state: User['state']) => ({
  key: userKey(user.id),
  change: (cached: User) => ({ ...cached, state }),
})

export function useUserActions(user: User) {
  const go = useGo()
  const params = { path: { id: user.id } }
  const name = nameOf(user)
  const suspend = useChange({
    run: (api) => api.management.POST('/systemusers/{id}/state/suspend', { params }),
    touches,
    done: () => `Suspended ${name}`,
    // Nothing leads back to STAGED.
    ...(user.state === 'ACTIVATED' && {
      undo: (api) =>
        api.management.PUT('/systemusers/{id}', { params, body: { suspended: false } }),
    }),
    expect: expect(user, 'SUSPENDED'),
  })
  const activate = useChange({
    run: (api): Promise<unknown> =>
      user.state === 'STAGED'
        ? api.management.POST('/systemusers/{id}/state/activate', { params, body: {} })
        : api.management.PUT('/systemusers/{id}', { params, body: { suspended: false } }),
    touches,
    done: () => `Activated ${name}`,
    expect: expect(user, 'ACTIVATED'),
  })
  const unlock = useChange({
    run: (api) => api.management.POST('/systemusers/{id}/unlock', { params }),
    touches,
    done: () => `Unlocked ${name}`,
  })
  const resetMfa = useChange({
    run: (api) => api.management.POST('/systemusers/{id}/resetmfa', { params, body: {} }),
    touches,
    done: () => `Removed the second factor of ${name}`,
  })
  const expire = useChange({
    run: (api) => api.management.POST('/systemusers/{id}/expire', { params }),
    touches,
    done: () => `The password of ${name} has expired`,
  })
  const mailLink = useChange({
    run: (api) => api.management.POST('/systemusers/{id}/reactivate', { params }),
    touches,
    done: () => `Mailed ${name} a link to choose a password`,
  })
  const remove = useChange({
    run: (api) => api.management.DELETE('/systemusers/{id}', { params }),
    touches,
    done: () => `Deleted ${name}`,
    undo: (api) => api.management.POST('/systemusers/{id}/restore', { params }),
    after: () => void go('users'),
  })
  return { suspend, activate, unlock, resetMfa, expire, mailLink, remove }
}
