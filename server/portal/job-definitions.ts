import { type Static, Type } from 'typebox'
import { JobClient } from '../platform/jobs/client.ts'
import { defineJob, FOR_A_DAY, type JobDefinition, UPKEEP } from '../platform/jobs/definition.ts'

export const deleteExpiredSessionsJob = defineJob({
  name: 'portal.delete-expired-sessions',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '37 * * * *',
})

/** A password reset request as typed, with the client for the event. */
export const MailReset = Type.Object({
  identifier: Type.String(),
  organization: Type.Union([Type.String(), Type.Null()]),
  ...JobClient.properties,
})
export type MailReset = Static<typeof MailReset>

export const mailResetJob = defineJob({
  name: 'portal.mail-reset',
  payload: MailReset,
  retry: FOR_A_DAY,
})

export const portalJobDefinitions = [
  deleteExpiredSessionsJob,
  mailResetJob,
] as unknown as JobDefinition[]
