import { type Static, Type } from 'typebox'
import { JobClient } from '../platform/jobs/client.ts'
import { defineJob, FOR_A_DAY, type JobDefinition, UPKEEP } from '../platform/jobs/definition.ts'

export const deleteExpiredJob = defineJob({
  name: 'admins.delete-expired',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '29 * * * *',
})

/** The e-mail address from the forgotten-password form, and the client. */
export const MailReset = Type.Object({ email: Type.String(), ...JobClient.properties })
export type MailReset = Static<typeof MailReset>

export const mailResetJob = defineJob({
  name: 'admins.mail-reset',
  payload: MailReset,
  retry: FOR_A_DAY,
})

export const adminJobDefinitions = [deleteExpiredJob, mailResetJob] as unknown as JobDefinition[]
