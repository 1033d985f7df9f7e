import { ACCEPTED_METHODS, BINDING, type Binding, NAME_ID_FORMAT, NAMESPACES } from '../names.ts'
import { keyInfo } from './xml-signature.ts'
import { type Element, element, write } from './xml-writer.ts'

interface IdentityProvider {
  entityId: string
  /** PEM: the active one first. */
  certificates: string[]
  ssoUrl: string
  sloUrl: string
  nameIdFormat: string
  wantSignedRequests: boolean
  redirectFirst: boolean
}

const endpoints = (
  name: 'md:SingleSignOnService' | 'md:SingleLogoutService',
  location: string,
  bindings: Binding[],
): Element[] =>
  bindings.map((binding) => element(name, { Binding: BINDING[binding], Location: location }))

/**
 * SAML Metadata Profile for Algorithm Support §2.3 and §2.4: what we accept. Service providers that read it sign with the
 * first; without it some fall back to SHA-1.
 */
const algorithms = (): Element =>
  element(
    'md:Extensions',
    {},
    ...ACCEPTED_METHODS.map(({ digest }) => element('alg:DigestMethod', { Algorithm: digest })),
    ...ACCEPTED_METHODS.map(({ signature }) =>
      element('alg:SigningMethod', { Algorithm: signature }),
    ),
  )

/** SAML Metadata §2.4.3, in schema order. All that a service provider needs to connect. */
export function metadata(provider: IdentityProvider): string {
  const bindings: Binding[] = provider.redirectFirst ? ['redirect', 'post'] : ['post', 'redirect']
  const { unspecified, email, persistent, transient } = NAME_ID_FORMAT
  const formats = new Set([provider.nameIdFormat, unspecified, email, persistent, transient])
  const descriptor = element(
    'md:IDPSSODescriptor',
    {
      WantAuthnRequestsSigned: String(provider.wantSignedRequests),
      protocolSupportEnumeration: NAMESPACES.samlp,
    },
    algorithms(),
    ...provider.certificates.map((pem) =>
      element('md:KeyDescriptor', { use: 'signing' }, keyInfo(pem)),
    ),
    ...endpoints('md:SingleLogoutService', provider.sloUrl, bindings),
    ...[...formats].map((format) => element('md:NameIDFormat', {}, format)),
    ...endpoints('md:SingleSignOnService', provider.ssoUrl, bindings),
  )
  const root = element('md:EntityDescriptor', { entityID: provider.entityId }, descriptor)
  return `<?xml version="1.0" encoding="UTF-8"?>\n${write(root)}\n`
}
