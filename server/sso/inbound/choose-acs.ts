import type { AcsUrl, SsoConfig } from '../../applications/index.ts'
import { quoted } from '../../signon/index.ts'
import { BINDING } from '../names.ts'
import { Refusal } from '../refusal.ts'
import type { AuthnRequest } from './authn-request.ts'

type Asked = Pick<AuthnRequest, 'acsUrl' | 'acsIndex' | 'protocolBinding'>

function byAsked(
  { acsUrl, acsIndex }: Asked,
  { acsUrls, defaultAcs }: Pick<SsoConfig, 'acsUrls' | 'defaultAcs'>,
): AcsUrl | undefined {
  // Exact match: a URL that merely looks similar, or shares a prefix, belongs to someone else (SAML Profiles §4.1.4.1).
  if (acsUrl !== undefined) return acsUrls.find(({ url }) => url === acsUrl)
  if (acsIndex !== undefined) return acsUrls.find(({ index }) => String(index) === acsIndex)
  return defaultAcs
}

/** The ACS URL for the response: always a registered one, even for a signed request. */
export function chooseAcs(asked: Asked, config: Pick<SsoConfig, 'acsUrls' | 'defaultAcs'>): string {
  if (config.acsUrls.length === 0)
    throw new Refusal('not_configured', 'The application has no ACS URL (acsUrl)')
  const found = byAsked(asked, config)
  if (!found) {
    const registered = config.acsUrls.map(({ url }) => url).join(', ')
    const wanted =
      asked.acsUrl === undefined
        ? `index ${quoted(asked.acsIndex ?? '')}`
        : `"${quoted(asked.acsUrl)}"`
    throw new Refusal(
      'acs_unknown',
      `The request asks for the ACS URL ${wanted}, which is not registered. Registered (acsUrl): ${registered}`,
    )
  }
  return found.url
}

/** A response is too long for a URL, so it is always posted. */
export function checkResponseBinding({ protocolBinding }: Asked): void {
  if (protocolBinding !== undefined && protocolBinding !== BINDING.post)
    throw new Refusal(
      'binding_unsupported',
      `The request asks for a response by ${quoted(protocolBinding)}; only HTTP-POST is supported`,
    )
}
