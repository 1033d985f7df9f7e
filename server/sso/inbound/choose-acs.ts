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
  // Byte for byte: an address that only looks alike, or begins alike, is somebody else's (SAML Profiles §4.1.4.1).
  if (acsUrl !== undefined) return acsUrls.find(({ url }) => url === acsUrl)
  if (acsIndex !== undefined) return acsUrls.find(({ index }) => String(index) === acsIndex)
  return defaultAcs
}

/** Where the answer goes: one of the registered addresses, whoever signed the request. */
export function chooseAcs(asked: Asked, config: Pick<SsoConfig, 'acsUrls' | 'defaultAcs'>): string {
  if (config.acsUrls.length === 0)
    throw new Refusal('not_configured', 'The application has no ACS URL (acsUrl)')
  const found = byAsked(asked, config)
  if (!found) {
    const registered = config.acsUrls.map(({ url }) => url).join(', ')
    const wanted =
      asked.acsUrl === undefined
        ? `number ${quoted(asked.acsIndex ?? '')}`
        : `"${quoted(asked.acsUrl)}"`
    throw new Refusal(
      'acs_unknown',
      `The request wants its answer at ${wanted}, which is not registered (acsUrl): ${registered}`,
    )
  }
  return found.url
}

/** A response is too long for an address, so it is always posted. */
export function checkResponseBinding({ protocolBinding }: Asked): void {
  if (protocolBinding !== undefined && protocolBinding !== BINDING.post)
    throw new Refusal(
      'binding_unsupported',
      `The request wants its answer by ${quoted(protocolBinding)}; only HTTP-POST is supported`,
    )
}
