import { invalid } from '../platform/errors.ts'
import { isUsableKey, MIN_PARTNER_BITS, readCertificates } from '../platform/x509/certificate.ts'
import type { Template } from './catalogue.ts'
import { AUTH_CLAIMS, AUTHN_CONTEXT_MODES, type Setting, type SettingType } from './settings.ts'
import { hasPlaceholder, readAcsUrls } from './sso-config.ts'
import { wrongAddress } from './web-address.ts'

// Validates the settings of a request and turns them into stored values.

const MAX_ATTRIBUTES = 200
const MAX_MAPPINGS = 100

const refuse = (field: string, problem: string) =>
  invalid('bad_config', `config.${field}: ${problem}`)

type Members = Record<string, unknown>
const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** XML does not allow these; without this check the sign-in would fail much later. */
const NOT_XML = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]/u

function readText(field: string, value: unknown, limit: number): string {
  if (typeof value !== 'string') throw refuse(field, 'must be a string')
  if (value.length > limit) throw refuse(field, `must have at most ${limit} characters`)
  if (NOT_XML.test(value) || !value.isWellFormed())
    throw refuse(field, 'contains a character that XML does not allow')
  return value.trim()
}

function readFlag(field: string, value: unknown): boolean {
  if (value === true || value === 'true') return true
  if (value === false || value === 'false') return false
  throw refuse(field, 'must be true or false')
}

function checkUrl(field: string, value: string): void {
  const wrong = wrongAddress(value)
  if (wrong !== null) throw refuse(field, wrong)
}

function checkAcsUrls(field: string, value: string): void {
  const urls = readAcsUrls(value)
  if (!urls)
    throw refuse(field, 'must be a URL, or a JSON array of objects with index, isDefault and url')
  for (const { url } of urls) checkUrl(field, url)
  if (new Set(urls.map(({ index }) => index)).size < urls.length)
    throw refuse(field, 'two URLs have the same index')
  if (urls.filter(({ isDefault }) => isDefault).length > 1)
    throw refuse(field, 'only one URL can be the default')
}

const CHECKS: Record<string, (field: string, value: string) => void> = {
  acsUrl: checkAcsUrls,
  sloUrl: checkUrl,
  sloResponseUrl: checkUrl,
  sloSoapUrl: checkUrl,
  idpInitUrl: checkUrl,
}
/** Settings that contain placeholders in some templates. */
const WITH_PLACEHOLDERS = new Set(['spEntityId', 'acsUrl', 'sloUrl', 'idpInitUrl'])
const LENGTHS: Record<string, number> = { acsUrl: 16_384, defaultTargetUrl: 4096 }

function readTextSetting(field: string, value: unknown, { required }: Setting): string {
  const text = readText(field, value, LENGTHS[field] ?? 1024)
  if (text === '') {
    // The SP entity ID may still be unknown, but the ACS URL is always required.
    if (required && field === 'acsUrl') throw refuse(field, 'must not be empty')
    return text
  }
  if (WITH_PLACEHOLDERS.has(field) && hasPlaceholder(text))
    throw refuse(field, `replace the part in braces in "${text}"`)
  CHECKS[field]?.(field, text)
  return text
}

function readSelect(field: string, value: unknown, { options = [] }: Setting): string {
  const known = options.find((option) => option.value === value)
  if (!known)
    throw refuse(field, `must be one of ${options.map((option) => option.value).join(', ')}`)
  return known.value
}

/** A service provider may sign with several keys, but only one can encrypt for it. */
const SEVERAL = new Set(['spCertificate'])
const MAX_CERTIFICATES = 20

function readFile(field: string, value: unknown): string {
  const text = readText(field, value, 65_536)
  if (text === '') return ''
  const certificates = readCertificates(text, `config.${field}`)
  const limit = SEVERAL.has(field) ? MAX_CERTIFICATES : 1
  if (certificates.length > limit) throw refuse(field, `must have at most ${limit} certificates`)
  if (!certificates.every(isUsableKey))
    throw refuse(field, `the key must be RSA with at least ${MIN_PARTNER_BITS} bits`)
  return certificates.map(String).join('')
}

/** Attributes of an assertion; repeating a name gives it several values. */
function readAttributes(field: string, value: unknown): { name: string; value: string }[] {
  if (!Array.isArray(value)) throw refuse(field, 'must be an array')
  if (value.length > MAX_ATTRIBUTES)
    throw refuse(field, `must have at most ${MAX_ATTRIBUTES} attributes`)
  return value.map((attribute: unknown, at) => {
    const where = `${field}[${at}]`
    if (!isObject(attribute)) throw refuse(where, 'must be an object with name and value')
    const name = readText(`${where}.name`, attribute.name, 512)
    if (name === '') throw refuse(`${where}.name`, 'must not be empty')
    return { name, value: readText(`${where}.value`, attribute.value ?? '', 4096) }
  })
}

function readDatabaseAttributes(field: string, value: unknown) {
  const attributes = readAttributes(field, value)
  for (const [at, { value: property }] of attributes.entries())
    if (property === '') throw refuse(`${field}[${at}].value`, 'must name a user property')
  return attributes
}

function readConstantAttributes(field: string, value: unknown) {
  const flags = (value as Members[]) ?? []
  return readAttributes(field, value).map((attribute, at) => ({
    ...attribute,
    readOnly: readFlag(`${field}[${at}].readOnly`, flags[at]!.readOnly ?? false),
    required: readFlag(`${field}[${at}].required`, flags[at]!.required ?? false),
    visible: readFlag(`${field}[${at}].visible`, flags[at]!.visible ?? true),
  }))
}

/** Names like those of RFC 8176. */
const isMethods = (value: unknown): value is string[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= 16 &&
  value.every((method) => typeof method === 'string' && /^[\w-]{1,64}$/.test(method))

function readMappings(field: string, value: unknown) {
  if (!Array.isArray(value)) throw refuse(field, 'must be an array')
  if (value.length > MAX_MAPPINGS) throw refuse(field, `must have at most ${MAX_MAPPINGS} mappings`)
  return value.map((mapping: unknown, at) => {
    const where = `${field}[${at}]`
    const { methods, authnContext } = isObject(mapping) ? mapping : {}
    if (!isMethods(methods))
      throw refuse(`${where}.methods`, 'must be an array such as ["pwd", "otp"]')
    const text = readText(`${where}.authnContext`, authnContext, 1024)
    if (text === '') throw refuse(`${where}.authnContext`, 'must not be empty')
    return { methods: [...new Set(methods)], authnContext: text }
  })
}

/** The only setting that consists of several values. */
function readAuthClaims(field: string, sent: Members): Members | undefined {
  const sentFor = (name: keyof typeof AUTH_CLAIMS): unknown => {
    const part = sent[name]
    return isObject(part) ? part.value : part
  }
  const read: Members = {}
  const take = (name: keyof typeof AUTH_CLAIMS, as: (where: string, value: unknown) => unknown) => {
    const value = sentFor(name)
    if (value === undefined || value === null || same(value, AUTH_CLAIMS[name].value)) return
    read[name] = as(`${field}.${name}`, value)
  }
  take('sendAmrClaim', readFlag)
  take('authnContextMode', (where, value) => {
    const text = typeof value === 'string' ? value.toLowerCase() : undefined
    const mode = AUTHN_CONTEXT_MODES.find((known) => known === text)
    if (!mode) throw refuse(where, `must be one of ${AUTHN_CONTEXT_MODES.join(', ')}`)
    return mode
  })
  take('singleAuthnContextValue', (where, value) => {
    const text = readText(where, value, 1024)
    if (text === '') throw refuse(where, 'must not be empty')
    return text
  })
  take('authnContextMappings', readMappings)
  return Object.keys(read).length > 0 ? read : undefined
}

type Read = (field: string, value: unknown, setting: Setting) => unknown
const READERS: Record<Exclude<SettingType, 'object'>, Read> = {
  text: readTextSetting,
  bool: readFlag,
  select: readSelect,
  file: readFile,
  constantAttributes: readConstantAttributes,
  databaseAttributes: readDatabaseAttributes,
}

export interface SentConfig {
  values: Members
  /** Empty: none was sent. */
  idpCertificate: string
  idpPrivateKey: string
}

const ABOUT_KEYS = ['idpCertificate', 'idpPrivateKey'] as const

function readSetting(name: string, setting: Setting, entry: Members): unknown {
  if (setting.type === 'object') return readAuthClaims(name, entry)
  const { value } = entry
  if (value === undefined || value === null || same(value, setting.value)) return undefined
  const read = READERS[setting.type](name, value, setting)
  if (setting.readOnly && !same(read, setting.value))
    throw refuse(name, 'cannot be changed in this template')
  return read
}

/** An unsigned response proves nothing (design D11). */
function checkSigning(template: Template, values: Members): void {
  const signs = (name: string) => values[name] ?? template.settings.get(name)?.value
  if (template.sso.type === 'saml' && !signs('signAssertion') && !signs('signResponse'))
    throw refuse('signAssertion', 'the assertion or the response must be signed')
}

/** The values of the sent settings; the others keep the template's defaults. Errors name the setting. */
export function readConfig(template: Template, sent: object): SentConfig {
  const read: SentConfig = { values: {}, idpCertificate: '', idpPrivateKey: '' }
  for (const [name, entry] of Object.entries(sent as Members)) {
    const setting = template.settings.get(name)
    if (!setting) throw refuse(name, `the template "${template.name}" has no such setting`)
    if (entry === null || entry === undefined) continue
    // Some clients send the array of attributes directly.
    const members = Array.isArray(entry) ? { value: entry } : entry
    if (!isObject(members)) throw refuse(name, 'must be an object with a value')
    const aboutKeys = ABOUT_KEYS.find((key) => key === name)
    if (aboutKeys) read[aboutKeys] = readText(name, members.value ?? '', 65_536)
    else {
      const value = readSetting(name, setting, members)
      if (value !== undefined) read.values[name] = value
    }
  }
  checkSigning(template, read.values)
  return read
}

/** For the copy of the list beside `config`; see write.ts. */
export const readAttributeList = (value: unknown) =>
  readDatabaseAttributes('databaseAttributes', value)
