import { Type } from 'typebox'
import { defineJob, UPKEEP } from '../platform/jobs/definition.ts'

/** Frees space only: every read ignores expired rows. */
export const tidyOidcJob = defineJob({
  name: 'oidc.delete-expired',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '*/10 * * * *',
})

/** With the names of the user and session for this client: the session itself is gone. */
export const backChannelLogoutJob = defineJob({
  name: 'oidc.back-channel-logout',
  payload: Type.Object({
    organizationId: Type.String(),
    applicationId: Type.String(),
    sub: Type.String(),
    sid: Type.String(),
    /** The logout whose page waits for the outcome. */
    logout: Type.Optional(Type.String()),
    at: Type.Optional(Type.Integer()),
  }),
  retry: { limit: 5, backoffSeconds: 15 },
  partner: true,
})
