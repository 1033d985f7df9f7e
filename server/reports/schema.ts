import { type Static, Type } from 'typebox'

const ReportStatus = Type.Enum(['PENDING', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'DELETED'])
export const ReportFormat = Type.Enum(['CSV', 'JSON'])
export type ReportFormat = Static<typeof ReportFormat>

export const Report = Type.Object(
  {
    id: Type.String(),
    type: Type.String(),
    status: ReportStatus,
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    expiration: Type.String({ format: 'date-time', description: 'When its files are deleted' }),
    requester_id: Type.String(),
    requester_email: Type.String({ description: 'Empty for service accounts' }),
    parameters: Type.Array(Type.Object({}, { additionalProperties: true })),
    artifacts: Type.Array(Type.Object({ id: Type.String(), format: ReportFormat }), {
      description: 'The files of a completed report',
    }),
    error_message: Type.Optional(Type.String({ description: 'Why it failed' })),
  },
  { title: 'Report' },
)
export type Report = Static<typeof Report>
