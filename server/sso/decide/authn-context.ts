import type { AuthClaims } from '../../applications/index.ts'
import { quoted } from '../../signon/index.ts'
import type { RequestedContext } from '../inbound/authn-request.ts'
import { AUTHN_CONTEXT } from '../names.ts'
import { Refusal } from '../refusal.ts'

const { unspecified, password, protectedPassword, timeSyncToken, refedsMfa, microsoftMfa } =
  AUTHN_CONTEXT

/** How strong a class is to us, for requests that compare. */
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

/** What the application's settings call this way of signing in. */
function configured(claims: AuthClaims, methods: readonly string[]): string {
  if (claims.authnContextMode === 'single') return claims.singleAuthnContextValue
  const found = claims.authnContextMappings.find((mapping) =>
    mapping.methods.every((method) => methods.includes(method)),
  )
  return found?.authnContext ?? protectedPassword
}

/** Whether a class of that strength is what was asked for, against the weakest and the strongest of those named. */
const COMPARISONS: Record<
  Exclude<RequestedContext['comparison'], 'exact'>,
  (strength: number, weakest: number, strongest: number) => boolean
> = {
  minimum: (strength, weakest) => strength >= weakest,
  better: (strength, _, strongest) => strength > strongest,
  maximum: (strength, _, strongest) => strength <= strongest,
}

/** The strongest first. */
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

/** SAML Core §3.3.2.2.1: the class that the assertion names, one of those asked for if any were. */
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
      `The request wants ${requested.classes.map(quoted).join(' or ')} (${quoted(requested.comparison)}); the person signed in by ${methods.join(' and ')}`,
    )
  return found
}
