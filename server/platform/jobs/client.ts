import { type Static, Type } from 'typebox'
import type { Client } from '../caller.ts'

/** Where the request came from that a job was sent for: its events tell it. */
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
