import { type Static, Type } from 'typebox'
import { JobClient } from '../platform/jobs/client.ts'
import { defineJob, type JobDefinition } from '../platform/jobs/definition.ts'

export const deleteExpiredJob = defineJob({
  name: 'admins.delete-expired',
  payload: Type.Object({}),
  retry: { limit: 3, backoffSeconds: 60 },
  cron: '29 * * * *',
})

/** What somebody typed who has forgotten the password, and where they are. */
export const MailReset = Type.Object({ email: Type.String(), ...JobClient.properties })
export type MailReset = Static<typeof MailReset>

export const mailResetJob = defineJob({
  name: 'admins.mail-reset',
  payload: MailReset,
  retry: { limit: 3, backoffSeconds: 10 },
})

export const adminJobDefinitions = [deleteExpiredJob, mailResetJob] as unknown as JobDefinition[]
