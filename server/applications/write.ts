import { invalid } from '../platform/errors.ts'
import { CUSTOM, TEMPLATES, type Template } from './catalogue.ts'
import { readAttributeList, readConfig, type SentConfig } from './config.ts'
import type { ApplicationWrite } from './schema.ts'
import { UNSPECIFIED } from './settings.ts'
import { badSsoUrl, slugOf } from './slug.ts'
import { metadataUrl } from './sso.ts'
import { KEEPS_NAME_ID } from './sso-config.ts'
import type { ApplicationRow } from './store.ts'

// Turns a request into the row to store.

const required = (field: string) => invalid('field_missing', `${field}: is required`)

export function templateFor({ name }: ApplicationWrite): Template {
  if (!name) throw required('name')
  const template = TEMPLATES.get(name)
  if (!template) throw invalid('unknown_template', `name: unknown application template "${name}"`)
  return template
}

/**
 * A SAML application needs names, a URL and settings; a bookmark needs only a URL. The OpenID Connect settings are sent
 * later (oidc/).
 */
export function checkRequired(template: Template, body: ApplicationWrite): void {
  if (template.sso.type === 'oidc') return
  if (!body.ssoUrl) throw badSsoUrl('the IdP URL is required')
  if (template.sso.type === 'bookmark') return
  if (!body.displayLabel) throw required('displayLabel')
  if (!body.displayName) throw required('displayName')
  if (!body.config) throw required('config')
}

/** Users' browsers open it, so only http and https are allowed. */
function checkBookmark(ssoUrl: string): void {
  const url = URL.parse(ssoUrl)
  if (!url || !['https:', 'http:'].includes(url.protocol))
    throw badSsoUrl('must be a URL that starts with https:// or http://')
}

/** SAML: a URL of ours. Bookmark: its target. OpenID Connect: none. */
function checkAddress({ sso: { type } }: Template, ssoUrl: string): void {
  if (type === 'oidc' && ssoUrl !== '')
    throw badSsoUrl('an OpenID Connect application has none; use oidc.ssoUrl of its settings')
  if (type !== 'oidc' && ssoUrl === '') throw badSsoUrl('the IdP URL is required')
  if (type === 'bookmark') checkBookmark(ssoUrl)
}

const on = (value: boolean | string | null | undefined, fallback = false): boolean =>
  value === undefined || value === null ? fallback : String(value) === 'true'

const sameList = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/**
 * User attributes are in two places of a record: beside the settings and among them. If a client sends a record back with
 * one of the two changed, the changed one counts.
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

const EMAILS = ['email', 'alternateEmail', 'managedAppleId']

/** The format that the custom template starts with fits e-mail addresses only; another subject needs another default. */
const formatOf = (
  { name }: Template,
  { config }: ApplicationWrite,
  { subjectField, overrideNameIdFormat }: Record<string, unknown>,
): object =>
  name === CUSTOM &&
  overrideNameIdFormat === undefined &&
  !Object.hasOwn(config ?? {}, 'overrideNameIdFormat') &&
  subjectField !== undefined &&
  !EMAILS.includes(String(subjectField))
    ? { overrideNameIdFormat: UNSPECIFIED }
    : {}

/** The mark of an application that keeps its NameIDs goes when its subject or their format is changed. */
function markOf(before: ApplicationRow | null, values: Record<string, unknown>): object {
  const same = ['subjectField', 'overrideNameIdFormat'].every(
    (name) => before?.config[name] === values[name],
  )
  return same && before?.config[KEEPS_NAME_ID] ? { [KEEPS_NAME_ID]: true } : {}
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

/** A full write: missing members take their defaults, except ssoUrl, which has none and keeps its value. */
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
      ...markOf(before, values),
      ...formatOf(template, body, values),
      // Stored, so that the entity ID known to the service provider survives a change of the slug.
      ...(slug !== null && { idpEntityId: idpEntityId || metadataUrl(publicUrl, slug) }),
      ...(attributes !== undefined && { databaseAttributes: attributes }),
    },
  }
  return { written, sent }
}
