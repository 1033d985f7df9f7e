import type { components } from '../../../../../client/index.ts'
import { type Api, dataOf } from '../../../api/organization.ts'
import { useRead } from '../../reads.ts'
import { orNull } from '../application.ts'

export type Connection = components['schemas']['Provisioning']
export type Put = components['schemas']['ProvisioningPut']
export type Status = components['schemas']['ProvisioningStatus']
export type Account = components['schemas']['ProvisionedUser']

export const WORKING_MS = 1500
export const IDLE_MS = 15_000

export const keyOf = (id: string) => ['applications', id, 'provisioning']
const params = (id: string) => ({ path: { application_id: id } })

/** Null: none yet. */
export const useConnection = (id: string) =>
  useRead([...keyOf(id), 'connection'], (api) =>
    orNull(
      api.management
        .GET('/v2/applications/{application_id}/provisioning', { params: params(id) })
        .then(dataOf),
    ),
  )

export const useDefaults = (id: string) =>
  useRead([...keyOf(id), 'defaults'], async (api) =>
    dataOf(
      await api.management.GET('/v2/applications/{application_id}/provisioning/defaults', {
        params: params(id),
      }),
    ),
  )

/** Often while something is being written. */
export const isBusy = (status: Status | undefined): boolean =>
  status !== undefined &&
  (status.working || (status.status === 'active' && (status.requested || status.users.waiting > 0)))

export const useStatus = (id: string) =>
  useRead(
    [...keyOf(id), 'status'],
    async (api) =>
      dataOf(
        await api.management.GET('/v2/applications/{application_id}/provisioning/status', {
          params: params(id),
        }),
      ),
    { every: (status) => (isBusy(status) ? WORKING_MS : IDLE_MS) },
  )

/** The API replaces the connection, so what a form does not show is sent back. The secret stays. */
export const putOf = ({
  baseUrl,
  auth,
  mapping,
  groups,
  deprovision,
  limits,
  adopt,
  dryRun,
  removalLimit,
  reconcile,
  deprovisionTargetSeconds,
  requireProvisioned,
}: Connection): Put => ({
  baseUrl,
  auth: auth as Put['auth'],
  mapping,
  groups,
  deprovision,
  limits,
  adopt,
  dryRun,
  removalLimit,
  reconcile,
  deprovisionTargetSeconds,
  requireProvisioned,
})

export const put = (id: string) => async (api: Api, body: Put) =>
  dataOf(
    await api.management.PUT('/v2/applications/{application_id}/provisioning', {
      params: params(id),
      body,
    }),
  )
