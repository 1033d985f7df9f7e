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
      description: 'A word for machines; null where it went well',
    }),
    explanation: Type.String({ description: 'What was wrong, and what would be right' }),
    user: Type.Unsafe<{ id: string; username: string } | null>({
      type: ['object', 'null'],
      properties: { id: { type: 'string' }, username: { type: 'string' } },
    }),
    clientIp: Type.String(),
    request: textOrNull,
    response: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Without signature, and without the values of attributes',
    }),
  },
  { title: 'SsoAttempt' },
)
export type SsoAttempt = Static<typeof SsoAttempt>
