import { URNS } from './schemas.ts'

/** RFC 7644 §3.12. */
type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'uniqueness'

export class ScimError extends Error {
  readonly status: number
  readonly scimType: ScimType | undefined

  constructor(status: number, detail: string, scimType?: ScimType) {
    super(detail)
    this.status = status
    this.scimType = scimType
  }
}

export const badRequest = (scimType: ScimType, detail: string): ScimError =>
  new ScimError(400, detail, scimType)

export const errorBody = (status: number, detail: string, scimType?: ScimType) => ({
  schemas: [URNS.error],
  status: String(status),
  ...(scimType && { scimType }),
  detail,
})
