import { allCertificates, type SsoApplication } from '../applications/index.ts'
import { endpointsOf, type SsoSliceContext } from './context.ts'
import { metadata } from './messages/metadata.ts'

/** The metadata of an application, with its current, next and previous certificates. */
export function metadataOf(
  context: Pick<SsoSliceContext, 'publicUrl'>,
  application: SsoApplication,
): { xml: string; certificates: string[] } {
  const { config, certificates } = application
  const { sso, slo } = endpointsOf(context, application)
  const all = allCertificates(certificates)
  const xml = metadata({
    entityId: config.idpEntityId,
    certificates: all.map(({ pem }) => pem),
    ssoUrl: sso,
    sloUrl: slo,
    nameIdFormat: config.nameIdFormat,
    wantSignedRequests: config.spCertificates.length > 0,
    redirectFirst: config.declareRedirect,
  })
  return { xml, certificates: all.map(({ id }) => id) }
}
