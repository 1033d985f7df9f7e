/**
 * Why an outbound call failed:
 *  - `bad_url`: the URL itself is invalid
 *  - `refused_address`: it resolves to a network that is not allowed
 *  - `unknown_host`, `connection`, `tls`, `timeout`: the host could not be reached
 *  - `bad_redirect`, `too_large`, `bad_answer`: the response is not acceptable
 */
export type OutboundProblem =
  | 'bad_url'
  | 'refused_address'
  | 'unknown_host'
  | 'connection'
  | 'tls'
  | 'timeout'
  | 'bad_redirect'
  | 'too_large'
  | 'bad_answer'

/** The message is for the administrator, and reveals nothing of the request but host and port. */
export class OutboundError extends Error {
  readonly problem: OutboundProblem

  constructor(problem: OutboundProblem, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'OutboundError'
    this.problem = problem
  }
}
