import { type Template, templateOf, valuesOf } from './catalogue.ts'
import type { CertificateSummary } from './certificates/store.ts'
import type {
  Application,
  ApplicationConfig,
  ApplicationTemplate,
  ApplicationV2,
} from './schema.ts'
import { AUTH_CLAIMS, type Setting } from './settings.ts'
import type { NamedValue, Values } from './sso-config.ts'
import type { ApplicationRow } from './store.ts'
import { logoPath } from './tiles.ts'

// Rows as API records.

const base64 = (text: unknown): string => (text ? Buffer.from(String(text)).toString('base64') : '')

const commonOf = (setting: Setting) => ({
  label: setting.label,
  position: setting.position,
  readOnly: setting.readOnly ?? false,
  required: setting.required ?? false,
  tooltip: {
    template: setting.help ? 'tooltip' : '',
    variables: { icon: setting.help ? 'info' : '', message: setting.help ?? '' },
  },
  type: setting.type as string,
  visible: setting.visible ?? true,
})

const claimsOf = (stored: object) =>
  Object.fromEntries(
    Object.entries(AUTH_CLAIMS).map(([name, { type, value }]) => [
      name,
      { type, value: (stored as Values)[name] ?? value, readOnly: false },
    ]),
  )

/** A setting with everything that a form needs to show it. */
function entryOf(setting: Setting, value: unknown): object {
  const common = commonOf(setting)
  if (setting.type === 'bool') return { ...common, value }
  if (setting.type === 'object') return { ...common, ...claimsOf(Object(value)) }
  const members = {
    ...common,
    options: setting.options ?? null,
    toggle: null,
    ...(setting.dependsOnProperty && { dependsOnProperty: setting.dependsOnProperty }),
  }
  if (setting.type === 'constantAttributes' || setting.type === 'databaseAttributes')
    return { ...members, mutable: true, value }
  // The content of files is sent in base64.
  return { ...members, value: setting.type === 'file' ? base64(value) : value }
}

const configOf = (template: Template, values: Values): ApplicationConfig =>
  Object.fromEntries(
    [...template.settings].map(([name, setting]) => [name, entryOf(setting, values[name])]),
  )

export function toApplication(
  row: ApplicationRow,
  certificate: CertificateSummary | undefined,
  publicUrl: string,
): Application {
  const template = templateOf(row.name)
  const values: Values = valuesOf(template, row.config)
  const shown = { ...values, idpCertificate: certificate?.certificate ?? '' }
  return {
    _id: row.id,
    id: row.id,
    active: row.active,
    name: row.name,
    displayName: row.display_name,
    displayLabel: row.display_label,
    beta: row.beta,
    color: row.color,
    organization: row.organization_id,
    logo: { color: row.color, url: logoUrl(row, publicUrl) },
    ssoUrl: row.sso_url,
    learnMore: row.learn_more,
    description: row.description,
    config: configOf(template, shown),
    databaseAttributes: (values.databaseAttributes ?? []) as NamedValue[],
    created: row.created,
    sso: {
      type: template.sso.type,
      beta: row.beta,
      jit: row.jit,
      hidden: row.hidden,
      ...(certificate && {
        idpCertExpirationAt: certificate.not_after,
        idpCertificateUpdatedAt: certificate.created,
        idpPrivateKeyUpdatedAt: certificate.created,
      }),
    },
    parentApp: row.parent_app,
    referenceApplications: row.reference_applications,
    aiReady: row.ai_ready,
  }
}

const logoUrl = ({ logo_id }: ApplicationRow, publicUrl: string): string =>
  logo_id === null ? '' : `${publicUrl}${logoPath(logo_id)}`

export function toApplicationV2(row: ApplicationRow, publicUrl: string): ApplicationV2 {
  const template = templateOf(row.name)
  const values: Values = valuesOf(template, row.config)
  return {
    _id: row.id,
    id: row.id,
    name: row.name,
    displayName: row.display_name,
    displayLabel: row.display_label,
    description: row.description,
    status: row.active ? 'active' : 'inactive',
    organization: row.organization_id,
    color: row.color,
    created: row.created,
    catalogItem: { id: template.id, name: template.name },
    provision: null,
    logo: { url: logoUrl(row, publicUrl) },
    sso: {
      type: template.sso.type,
      url: row.sso_url,
      hidden: row.hidden,
      active: row.active,
      beta: row.beta,
      spErrorFlow: values.spErrorFlow === true,
      ...(template.sso.type === 'bookmark' && { bookmark: { url: row.sso_url } }),
      jit: { supported: template.sso.jit === true, enabled: row.jit },
    },
  }
}

export function toTemplate(
  template: Template,
  isConfigured: boolean,
  publicUrl: string,
): ApplicationTemplate {
  const values = valuesOf(template, {})
  const attributes = (values as Values).databaseAttributes ?? []
  return {
    _id: template.id,
    id: template.id,
    name: template.name,
    displayName: template.displayName,
    displayLabel: template.displayName,
    description: template.description,
    active: true,
    beta: false,
    isConfigured,
    color: '',
    learnMore: template.learnMore,
    ssoUrl: template.sso.type === 'saml' ? `${publicUrl}/saml2/${template.name}` : '',
    keywords: template.keywords,
    logo: { url: '' },
    jit: {
      attributes: Object.fromEntries(
        (attributes as NamedValue[]).map(({ name, value }) => [name, value]),
      ),
      createOnly: false,
    },
    sso: {
      type: template.sso.type,
      beta: false,
      jit: template.sso.jit === true,
      hidden: false,
    },
    config: configOf(template, values),
    ...(template.provisioning && {
      provision: { beta: false, groups_supported: template.provisioning.groups, type: 'scim' },
    }),
    ...(template.oidc && { oidc: template.oidc }),
  }
}

/** The application as the resource of an event. */
export const resourceOf = ({ id, display_label, name }: ApplicationRow) => ({
  type: 'application',
  id,
  name: display_label || name,
})

/** The fields recorded in events; certificates by their fingerprints. */
export const auditFields = (
  row: ApplicationRow,
  certificates: ReadonlyMap<string, Pick<CertificateSummary, 'fingerprint'>>,
) => {
  const fingerprint = (id: string | null) => certificates.get(id ?? '')?.fingerprint
  return {
    name: row.name,
    displayName: row.display_name,
    displayLabel: row.display_label,
    description: row.description,
    active: row.active,
    beta: row.beta,
    aiReady: row.ai_ready,
    color: row.color,
    learnMore: row.learn_more,
    parentApp: row.parent_app,
    referenceApplications: row.reference_applications,
    ssoUrl: row.sso_url,
    'sso.hidden': row.hidden,
    'sso.jit': row.jit,
    logo: row.logo_id ?? undefined,
    ...Object.fromEntries(
      Object.entries(row.config).map(([name, value]) => [`config.${name}`, value]),
    ),
    'config.idpCertificate': fingerprint(row.certificate_id),
    'config.idpPrivateKey': row.certificate_id ?? undefined,
    nextCertificate: fingerprint(row.next_certificate_id),
    promoteAt: row.promote_at ?? undefined,
  }
}

/** Recorded without their values. */
export const SECRETS = ['config.idpPrivateKey'] as const
