/**
 * Why a call to another service came to nothing:
 *  - `bad_url`: the address itself cannot be used
 *  - `refused_address`: it leads to a network that is not open to such calls
 *  - `unknown_host`, `connection`, `tls`, `timeout`: it could not be reached
 *  - `bad_redirect`, `too_large`, `bad_answer`: it was reached and answered what we do not take
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

/** The message is for the person who can mend it, and holds nothing of the request but host and port. */
export class OutboundError extends Error {
  readonly problem: OutboundProblem

  constructor(problem: OutboundProblem, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'OutboundError'
    this.problem = problem
  }
}
