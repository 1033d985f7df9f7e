/** One rule of the request that was broken: the field, and the rule by its code. */
export interface Violation {
  field: string
  description: string
}

/** A request that was answered with an error, or not at all (status 0). */
export class ApiError extends Error {
  readonly status: number
  readonly violations: Violation[]

  constructor(status: number, message: string, violations: Violation[] = []) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.violations = violations
  }
}

interface ErrorBody {
  message?: string
  details?: { fieldViolationsList?: Violation[] }[]
}

async function toError(response: Response): Promise<ApiError> {
  const body: ErrorBody = await response.json().catch(() => ({}))
  // "password: must have …": the page shows the message at the field, where its name would be in the way.
  const message = (body.message ?? '').replace(/^\w+: /, '')
  const violations = (body.details ?? []).flatMap((detail) => detail.fieldViolationsList ?? [])
  return new ApiError(
    response.status,
    message || 'Something went wrong; try again shortly',
    violations,
  )
}

let csrfToken: string | undefined
/** Every change carries it; a cookie alone is not enough. */
export const rememberToken = (token: string | undefined): void => {
  csrfToken = token
}

export async function call<T>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<T> {
  let response: Response
  try {
    response = await fetch(path, {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(csrfToken && method !== 'GET' && { 'x-csrf-token': csrfToken }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
  } catch {
    throw new ApiError(0, 'The service cannot be reached; check your connection')
  }
  if (!response.ok) throw await toError(response)
  return response.json()
}
