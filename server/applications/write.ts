import { invalid } from '../platform/errors.ts'
import { TEMPLATES, type Template } from './catalogue.ts'
import { readAttributeList, readConfig, type SentConfig } from './config.ts'
import type { ApplicationWrite } from './schema.ts'
import { badSsoUrl, slugOf } from './slug.ts'
import { metadataUrl } from './sso.ts'
import type { ApplicationRow } from './store.ts'

// A request turned into the row as it shall be.

const required = (field: string) => invalid('field_missing', `${field}: is required`)

export function templateFor({ name }: ApplicationWrite): Template {
  if (!name) throw required('name')
  const template = TEMPLATES.get(name)
  if (!template)
    throw invalid('unknown_template', `name: there is no application template "${name}"`)
  return template
}

/**
 * What people sign in to by SAML needs a name, an address and settings; a bookmark only has to lead somewhere. What
 * OpenID Connect needs is sent later (oidc.ts).
 */
export function checkRequired(template: Template, body: ApplicationWrite): void {
  if (template.sso.type === 'oidc') return
  if (!body.ssoUrl) throw badSsoUrl('the IdP URL is required')
  if (template.sso.type === 'bookmark') return
  if (!body.displayLabel) throw required('displayLabel')
  if (!body.displayName) throw required('displayName')
  if (!body.config) throw required('config')
}

/** Where a bookmark leads is opened by the browsers of everybody who is bound to it. */
function checkBookmark(ssoUrl: string): void {
  const url = URL.parse(ssoUrl)
  if (!url || !['https:', 'http:'].includes(url.protocol))
    throw badSsoUrl('must be an address that begins with https:// or http://')
}

/** Of SAML an address of ours, of a bookmark where it leads; of OpenID Connect there is none. */
function checkAddress({ sso: { type } }: Template, ssoUrl: string): void {
  if (type === 'oidc' && ssoUrl !== '')
    throw badSsoUrl('an OpenID Connect application has none; its addresses are among its settings')
  if (type !== 'oidc' && ssoUrl === '') throw badSsoUrl('the IdP URL is required')
  if (type === 'bookmark') checkBookmark(ssoUrl)
}

const on = (value: boolean | string | null | undefined, fallback = false): boolean =>
  value === undefined || value === null ? fallback : String(value) === 'true'

const sameList = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/**
 * The attributes of users stand in two places: beside the settings and among them. Whoever reads a record, changes one of
 * the two and sends all back means that one.
 */
function attributesFrom(
  template: Template,
  body: ApplicationWrite,
  inConfig: unknown,
  before: unknown,
): unknown {
  if (!body.databaseAttributes || !template.settings.has('databaseAttributes')) return inConfig
  const beside = readAttributeList(body.databaseAttributes)
  const sentInConfig = Object.hasOwn(body.config ?? {}, 'databaseAttributes')
  return sentInConfig && sameList(beside, before) ? inConfig : beside
}

export type Written = Omit<
  ApplicationRow,
  | 'organization_id'
  | 'id'
  | 'created'
  | 'logo_id'
  | 'certificate_id'
  | 'next_certificate_id'
  | 'previous_certificate_id'
  | 'promote_at'
>

/** A full write: what is not sent has its default. Only the address, which has none, stays as it was. */
export function readWrite(
  template: Template,
  body: ApplicationWrite,
  before: ApplicationRow | null,
  publicUrl: string,
): { written: Written; sent: SentConfig } {
  const sent = readConfig(template, body.config ?? {})
  const defaults = template.settings.get('databaseAttributes')?.value ?? []
  const attributes = attributesFrom(
    template,
    body,
    sent.values.databaseAttributes,
    before?.config.databaseAttributes ?? defaults,
  )
  const { databaseAttributes: _, idpEntityId, ...values } = sent.values
  const ssoUrl = body.ssoUrl ?? before?.sso_url ?? ''
  checkAddress(template, ssoUrl)
  const slug = template.sso.type === 'saml' ? slugOf(ssoUrl) : null
  const written: Written = {
    name: template.name,
    display_name: body.displayName || template.displayName,
    display_label: body.displayLabel || body.displayName || template.displayName,
    description: body.description ?? '',
    active: on(body.active),
    beta: on(body.beta),
    ai_ready: on(body.aiReady),
    color: body.color || body.logo?.color || '',
    learn_more: body.learnMore ?? template.learnMore,
    parent_app: body.parentApp ?? '',
    reference_applications: (body.referenceApplications ?? []).map(({ id, orgId }) => ({
      id,
      orgId,
    })),
    sso_url: ssoUrl,
    slug,
    hidden: on(body.sso?.hidden),
    jit: on(body.sso?.jit, template.sso.jit),
    config: {
      ...values,
      // Kept from now on: a service provider must find us under the name it knows, whatever becomes of the address.
      ...(slug !== null && { idpEntityId: idpEntityId || metadataUrl(publicUrl, slug) }),
      ...(attributes !== undefined && { databaseAttributes: attributes }),
    },
  }
  return { written, sent }
}
