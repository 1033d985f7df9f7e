import { type Static, Type } from 'typebox'
import type { Client } from '../caller.ts'

/** The client of the request that sent a job, for the job's events. */
export const JobClient = Type.Object({
  ip: Type.String(),
  userAgent: Type.Union([Type.String(), Type.Null()]),
  requestId: Type.String(),
})
export type JobClient = Static<typeof JobClient>

export const toJobClient = ({ ip, userAgent, requestId }: Client): JobClient => ({
  ip,
  userAgent: userAgent ?? null,
  requestId,
})

export const fromJobClient = ({ ip, userAgent, requestId }: JobClient): Client => ({
  ip,
  userAgent: userAgent ?? undefined,
  requestId,
})
