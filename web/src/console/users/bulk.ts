import { type Api, dataOf } from '../../api/organization.ts'
import { counted } from '../../ui/number.ts'
import type { NewWork } from '../tray/work.ts'

const people = (count: number) => counted(count, 'user')

/** Starts a job of the API; the tray follows it. */
const changeAll =
  (verb: string, state: 'ACTIVATED' | 'SUSPENDED') =>
  async (api: Api, ids: string[]): Promise<NewWork> => {
    const { jobId } = dataOf(
      await api.management.PATCH('/v2/bulk/users', { body: ids.map((id) => ({ id, state })) }),
    )
    const title = `${verb} ${people(ids.length)}`
    return { kind: 'bulk-users', input: { jobId }, title, link: 'users', total: ids.length }
  }

export const suspendAll = changeAll('Suspend', 'SUSPENDED')
export const activateAll = changeAll('Activate', 'ACTIVATED')

/** The same, for what is done to accounts. */
const actOnAll =
  (verb: string, path: '/v2/bulk/user/unlocks' | '/v2/bulk/user/expires') =>
  async (api: Api, ids: string[]): Promise<NewWork> => {
    const { jobId } = dataOf(await api.management.POST(path, { body: ids.map((id) => ({ id })) }))
    const title = `${verb} ${people(ids.length)}`
    return { kind: 'bulk-users', input: { jobId }, title, link: 'users', total: ids.length }
  }

export const unlockAll = actOnAll('Unlock', '/v2/bulk/user/unlocks')
export const expireAll = actOnAll('Expire the passwords of', '/v2/bulk/user/expires')

export const mailLinksToAll = async (_: Api, ids: string[]): Promise<NewWork> => ({
  kind: 'mail-links',
  input: { ids },
  title: `Mail ${people(ids.length)} a link for a new password`,
  link: 'users',
  total: ids.length,
})

export const resetMfaOfAll = async (_: Api, ids: string[]): Promise<NewWork> => ({
  kind: 'reset-mfa',
  input: { ids },
  title: `Remove the second factor of ${people(ids.length)}`,
  link: 'users',
  total: ids.length,
})

export const exportAll = async (_: Api, ids: string[]): Promise<NewWork> => ({
  kind: 'export-users',
  input: { ids },
  title: `Export ${people(ids.length)}`,
  link: 'users',
  total: ids.length,
})

export const joinGroup = (ids: string[], group: { id: string; name: string }): NewWork => ({
  kind: 'join-group',
  input: { ids, group: group.id },
  title: `Add ${people(ids.length)} to ${group.name}`,
  link: `groups/${group.id}`,
  total: ids.length,
})
