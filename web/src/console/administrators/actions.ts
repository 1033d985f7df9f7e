import { useChange } from '../changes.ts'
import { useGo } from '../link.tsx'
import { type Administrator, administratorKey, nameOf } from './administrator.ts'

const touches = [['administrators'], ['api-keys']]

export function useAdministratorActions(admin: Administrator) {
  const go = useGo()
  const name = nameOf(admin)
  const params = { path: { id: admin.id } }
  const suspended = (to: boolean) => ({
    key: administratorKey(admin.id),
    change: (cached: Administrator) => ({ ...cached, suspended: to }),
  })
  const suspend = useChange({
    run: (api) => api.management.PUT('/users/{id}', { params, body: { suspended: true } }),
    touches,
    done: () => `Suspended ${name}`,
    undo: (api) => api.management.PUT('/users/{id}', { params, body: { suspended: false } }),
    expect: suspended(true),
  })
  const activate = useChange({
    run: (api) => api.management.PUT('/users/{id}', { params, body: { suspended: false } }),
    touches,
    done: () => `Activated ${name}`,
    expect: suspended(false),
  })
  const sendLink = useChange({
    run: (api) => api.management.GET('/users/reactivate/{id}', { params }),
    touches,
    done: () => `Sent ${admin.email} a link to choose a password`,
  })
  const resetTotp = useChange({
    run: (api) => api.management.POST('/users/resettotp/{id}', { params }),
    touches,
    done: () => `Removed the second factor of ${name}`,
  })
  const revokeKey = useChange({
    run: (api) => api.management.DELETE('/users/{id}/apikey', { params }),
    touches,
    done: () => `Revoked the API key of ${name}`,
  })
  const remove = useChange({
    run: (api) => api.management.DELETE('/users/{id}', { params }),
    touches,
    done: () => `Deleted ${name}`,
    after: () => void go('administrators'),
  })
  return { suspend, activate, sendLink, resetTotp, revokeKey, remove }
}
