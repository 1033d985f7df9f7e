import { Type } from 'typebox'
import { defineJob, UPKEEP } from '../platform/jobs/definition.ts'

/** Frees space only: every read ignores expired rows. */
export const tidySsoJob = defineJob({
  name: 'sso.delete-expired',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '*/10 * * * *',
})

export const soapLogoutJob = defineJob({
  name: 'sso.soap-logout',
  payload: Type.Object({
    organizationId: Type.String(),
    logout: Type.String(),
    at: Type.Integer(),
  }),
  retry: { limit: 4, backoffSeconds: 15 },
  partner: true,
})
