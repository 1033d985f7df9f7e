import { type Static, Type } from 'typebox'

const textOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'] })

export const SsoAttempt = Type.Object(
  {
    id: Type.String(),
    timestamp: Type.String({ format: 'date-time' }),
    kind: Type.Enum(['sign-in', 'logout']),
    success: Type.Boolean(),
    idpInitiated: Type.Boolean({ description: 'Started in the portal, not at the application' }),
    reason: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'A stable reason code; null on success',
    }),
    explanation: Type.String({ description: 'What is wrong, and how to fix it' }),
    user: Type.Unsafe<{ id: string; username: string } | null>({
      type: ['object', 'null'],
      properties: { id: { type: 'string' }, username: { type: 'string' } },
    }),
    clientIp: Type.String(),
    request: textOrNull,
    response: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Without the signature and the attribute values',
    }),
  },
  { title: 'SsoAttempt' },
)
export type SsoAttempt = Static<typeof SsoAttempt>
