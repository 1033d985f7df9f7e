/** A validation error: the field, and the code of the rule. */
interface Violation {
  field: string
  description: string
}

/** An error response, or no response at all (status 0). */
export class ApiError extends Error {
  readonly status: number
  readonly violations: Violation[]
  /** The field that the message is about. */
  readonly field: string | undefined
  /** Stable, for machines. */
  readonly reason: string | undefined
  /** Finds the request in the log of the service. */
  readonly requestId: string | null

  constructor(
    status: number,
    message: string,
    about: {
      violations?: Violation[]
      field?: string | undefined
      reason?: string | undefined
      requestId?: string | null
    } = {},
  ) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.violations = about.violations ?? []
    this.field = about.field
    this.reason = about.reason
    this.requestId = about.requestId ?? null
  }
}

interface ErrorBody {
  message?: string
  reason?: string
  details?: { fieldViolationsList?: Violation[] }[]
}

/** The API says of its own failures no more than that they happened. */
const OWN_FAILURE =
  'Something went wrong in the service. Try again; if it fails again, its log says why.'

async function toError(response: Response): Promise<ApiError> {
  const body: ErrorBody = await response.json().catch(() => ({}))
  // "password: must have …": the page shows the message at the field, so its name is redundant.
  const [, field, message] = /^(?:(\w+): )?(.*)$/s.exec(body.message ?? '')!
  const violations = (body.details ?? []).flatMap((detail) => detail.fieldViolationsList ?? [])
  const requestId = response.headers.get('x-request-id')
  const words = response.status === 500 ? '' : message
  return new ApiError(response.status, words || OWN_FAILURE, {
    violations,
    field,
    reason: body.reason,
    requestId,
  })
}

/** No response at all, or from a service that is busy or restarts: another try may succeed. */
const PASSING = [0, 503]
const MAX_RETRIES = 2

/** For reads: a change is repeated only by the user. */
export const retryRead = (failures: number, error: Error): boolean =>
  failures < MAX_RETRIES && (!(error instanceof ApiError) || PASSING.includes(error.status))

/** Every response that arrives is a success; anything else throws an ApiError. */
export async function send(request: Request, signal?: AbortSignal): Promise<Response> {
  let response: Response
  try {
    response = await fetch(request, signal ? { signal } : {})
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ApiError(0, 'The service cannot be reached. Check your connection.')
  }
  if (!response.ok) throw await toError(response)
  return response
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** API calls of one signed-in user, with their CSRF token; portal and console each have their own. */
export class ApiSession {
  readonly #root: string
  #csrfToken: string | undefined

  constructor(root: string) {
    this.#root = root
  }

  /** Every change carries the CSRF token: a cookie alone is not enough. */
  remember(csrfToken: string | undefined): void {
    this.#csrfToken = csrfToken
  }

  get csrfToken(): string | undefined {
    return this.#csrfToken
  }

  async call<T>(method: Method, path: string, body?: object): Promise<T> {
    const request = new Request(this.#root + path, {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(this.#csrfToken && method !== 'GET' && { 'x-csrf-token': this.#csrfToken }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    return (await send(request)).json()
  }

  get<T>(path: string): Promise<T> {
    return this.call<T>('GET', path)
  }

  post<T>(path: string, body?: object): Promise<T> {
    return this.call<T>('POST', path, body)
  }

  delete<T>(path: string): Promise<T> {
    return this.call<T>('DELETE', path)
  }
}
