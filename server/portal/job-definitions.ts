import { type Static, Type } from 'typebox'
import { JobClient } from '../platform/jobs/client.ts'
import { defineJob, type JobDefinition } from '../platform/jobs/definition.ts'

export const deleteExpiredSessionsJob = defineJob({
  name: 'portal.delete-expired-sessions',
  payload: Type.Object({}),
  retry: { limit: 3, backoffSeconds: 60 },
  cron: '37 * * * *',
})

/** What somebody typed who has forgotten the password, and where they are, for the event. */
export const MailReset = Type.Object({
  identifier: Type.String(),
  organization: Type.Union([Type.String(), Type.Null()]),
  ...JobClient.properties,
})
export type MailReset = Static<typeof MailReset>

export const mailResetJob = defineJob({
  name: 'portal.mail-reset',
  payload: MailReset,
  retry: { limit: 3, backoffSeconds: 10 },
})

export const portalJobDefinitions = [
  deleteExpiredSessionsJob,
  mailResetJob,
] as unknown as JobDefinition[]
