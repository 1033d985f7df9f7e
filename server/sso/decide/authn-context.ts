import type { AuthClaims } from '../../applications/index.ts'
import { quoted } from '../../signon/index.ts'
import type { RequestedContext } from '../inbound/authn-request.ts'
import { AUTHN_CONTEXT } from '../names.ts'
import { Refusal } from '../refusal.ts'

const { unspecified, password, protectedPassword, timeSyncToken, refedsMfa, microsoftMfa } =
  AUTHN_CONTEXT

/** How we rank the classes, for requests that compare. */
const STRENGTH = new Map<string, number>([
  [unspecified, 0],
  [password, 1],
  [protectedPassword, 2],
  [timeSyncToken, 3],
  [refedsMfa, 3],
  [microsoftMfa, 3],
])
const ONE_FACTOR = 2
const TWO_FACTORS = 3

/** The class that the application's settings assign to these methods. */
function configured(claims: AuthClaims, methods: readonly string[]): string {
  if (claims.authnContextMode === 'single') return claims.singleAuthnContextValue
  const found = claims.authnContextMappings.find((mapping) =>
    mapping.methods.every((method) => methods.includes(method)),
  )
  return found?.authnContext ?? protectedPassword
}

/** Whether a class of that strength satisfies the request, given the weakest and strongest class it names. */
const COMPARISONS: Record<
  Exclude<RequestedContext['comparison'], 'exact'>,
  (strength: number, weakest: number, strongest: number) => boolean
> = {
  minimum: (strength, weakest) => strength >= weakest,
  better: (strength, _, strongest) => strength > strongest,
  maximum: (strength, _, strongest) => strength <= strongest,
}

/** The classes this sign-in satisfies: the configured one, then the others, strongest first. */
function held(claims: AuthClaims, methods: readonly string[]): [name: string, strength: number][] {
  const reached = methods.includes('otp') ? TWO_FACTORS : ONE_FACTOR
  const own = configured(claims, methods)
  return [
    [own, STRENGTH.get(own) ?? reached],
    ...[...STRENGTH].filter(([, strength]) => strength <= reached).toReversed(),
  ]
}

function find(requested: RequestedContext, classes: [string, number][]): string | undefined {
  const exact = requested.classes.find((wanted) => classes.some(([name]) => name === wanted))
  const { comparison } = requested
  if (comparison === 'exact') return exact
  if (exact !== undefined && comparison !== 'better') return exact
  const strengths = requested.classes.flatMap((name) => STRENGTH.get(name) ?? [])
  if (strengths.length === 0) return undefined
  const [weakest, strongest] = [Math.min(...strengths), Math.max(...strengths)]
  return classes.find(([, strength]) => COMPARISONS[comparison](strength, weakest, strongest))?.[0]
}

/** SAML Core §3.3.2.2.1: the class of the assertion; one of the requested classes if the request names any. */
export function authnContextFor(
  claims: AuthClaims,
  methods: readonly string[],
  requested: RequestedContext | undefined,
): string {
  if (!requested || requested.classes.length === 0) return configured(claims, methods)
  const found = find(requested, held(claims, methods))
  if (found === undefined)
    throw new Refusal(
      'authn_context',
      `The request requires ${requested.classes.map(quoted).join(' or ')} (${quoted(requested.comparison)}); the user signed in with ${methods.join(' and ')}`,
    )
  return found
}
