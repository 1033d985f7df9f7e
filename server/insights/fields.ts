import { SERVICES, type Service } from './services.ts'

/** The kind of a field in event documents. A `list` holds objects whose members have dotted names. */
export type FieldKind = 'string' | 'number' | 'boolean' | 'timestamp' | 'object' | 'list'

export interface FieldShape {
  kind: FieldKind
  searchable: boolean
  /** An object that may have unlisted members. */
  free?: true
}

interface ServiceShape {
  /** Shapes by dotted name, as the specification lists them. */
  fields: Record<string, FieldShape>
  /** Where the specification lists no fields, any name is allowed. */
  free: boolean
  /** The type of `@version`, or null where the documents have none. */
  version: 'integer' | 'string' | null
}

/** Not searchable in any service. */
const UNSEARCHABLE = new Set(['changes', 'useragent', 'system_timestamp', 'ingested_at'])

/**
 * The specification's field lists in a compact notation: names separated by spaces, `parent(child child)` for objects,
 * a suffix for the kind: `?` boolean, `#` number, `@` timestamp, `{}` free object, `[]` list; string by default.
 */
const GEOIP =
  'geoip(country_code continent_code region_code region_name timezone city country region latitude# longitude#)'
const AGENT =
  '(name version major minor patch build os os_name os_full os_version os_major os_minor os_patch device)'
const INITIATOR =
  'initiated_by(user_id administrator? id type email username name provider source source_metadata(name))'
const COMMON = 'id event_type timestamp@ service organization'
/** Added to ingested events of any service (ingested.ts). */
const INGESTED = 'ingested_by(type id email name) ingested_at@'
const CHANGES = 'changes[](field from{} to{})'

const LISTS: Partial<Record<Service, string>> = {
  alert: `${COMMON} ${CHANGES} correlation(id) category ${GEOIP} ${INITIATOR} client_ip success? severity username resource(id context source_id source_type reference_id)`,
  directory: `${COMMON} correlation(id type) resource{}(type id username email recipient_email email_type name) system_group(type object_id name) ${CHANGES} ${INITIATOR} association{}(type id email) client_ip useragent${AGENT} auth_method success? mfa? mfa_meta(type) ${GEOIP} provider auth_context(auth_methods(totp(success?) webauthn(success?) duo(success?) password(success?) recovery_code(success?)) system(hostname id displayName os version) policies_applied[](name id)) application(id name) idm_client_id error_message message_chain(response_code response_message message_details) @version system(hostname displayName id type) target_resource(type)`,
  password_vault: `${COMMON} ${CHANGES} ${INITIATOR} association{} client_ip user_agent${AGENT} success? ${GEOIP} provider error_message @version`,
  sso: `${COMMON} ${INITIATOR} application(display_label id name sso_url) client_ip useragent${AGENT} ${GEOIP} idp_initiated? success? mfa? error_message sso_token_success? @version`,
  radius: `${COMMON} nas_mfa_state auth_type eap_type client_ip ${GEOIP} success? username error_message mfa? mfa_meta(type) outer(eap_type error_message username) ${INITIATOR} @version`,
  systems: `${COMMON} system_timestamp@ system(id hostname displayName) message client_ip src_ip username process_name success? provider resource{} ${CHANGES} ${INITIATOR} app_management_source windows_meta(elevated? logon_type) @version`,
  software: `${COMMON} provider system(id type) application(name version path publisher uninstall_string) ${CHANGES} resource(id type) app_management_source @version`,
  ldap: `event_type timestamp@ service organization connection_id operation_number# dn auth_method mech start_tls? tls_established? username success? error_code# error_message oid base scope# deref# filter attr number_of_results# ${INITIATOR} auth_meta(auth_methods(totp(success?) password(success?) gatehouse_protect(success?)) gatehouse_protect_device(id make model os os_version app_version username user_id ip)) @version`,
  mdm: `${COMMON} mdm_type device_object_id device_manager_object_id windows_device_uuid ${INITIATOR} command_uuid request_type command(request_type) status error_chain[](error_code# error_domain localized_description us_english_description) success? result ${GEOIP} @version`,
  notifications: `id timestamp@ organization event_type name type description channel_object_id correlation(id) config[]{} success? ${INITIATOR} client_ip`,
  object_storage: `${COMMON} result referrer_object_id referrer_type object_storage_item_object_id object_storage_item_version_object_id object_storage_item_version_name object_storage_item_version_size# object_storage_item_version_sha_256_sum total_software_item_count# total_space_used# system_object_id @version`,
  saas_app_management: `${COMMON} ${CHANGES} ${GEOIP} ${INITIATOR} client_ip username resource(application_id application_name application_category) account_id catalog_app_id login_identifier detail @version`,
  access_management: `${COMMON} pid access_request_id ${CHANGES} resource(type id name) workflow(type id name desc) ${INITIATOR} association{} client_ip user_agent${AGENT} success? ${GEOIP} provider error_message @version`,
  reports: `${COMMON} ${CHANGES} resource(name id description resources{} search_request{} configuration{}) ${INITIATOR} auth_method client_ip user_agent${AGENT} ${GEOIP} provider @version`,
}

const TEXT_VERSION: readonly Service[] = ['password_vault', 'access_management', 'reports']
/** Lists that the specification ends with "after these: not shown". */
const OPEN_ENDED: readonly Service[] = ['reports']

const KINDS: Record<string, FieldKind> = { '?': 'boolean', '#': 'number', '@': 'timestamp' }

function readList(list: string, version: ServiceShape['version']): Record<string, FieldShape> {
  const fields: Record<string, FieldShape> = {}
  const parents: string[] = []
  let last = ''
  for (const token of list.match(/\(|\)|[^\s()]+/g) ?? []) {
    if (token === '(') parents.push(last)
    else if (token === ')') parents.pop()
    else {
      const [, name = '', suffix = ''] = /^(@?\w+)(\W.*)?$/.exec(token)!
      last = name
      const path = [...parents, name].join('.')
      const kind: FieldKind =
        name === '@version'
          ? version === 'string'
            ? 'string'
            : 'number'
          : suffix.startsWith('[]')
            ? 'list'
            : suffix === '{}'
              ? 'object'
              : (KINDS[suffix] ?? 'string')
      const searchable = !UNSEARCHABLE.has(path.split('.')[0]!)
      fields[path] = { kind, searchable, ...(suffix.endsWith('{}') && { free: true as const }) }
    }
  }
  // A name with members is an object, unless it is a list.
  for (const path of Object.keys(fields)) {
    const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')))
    if (parent && fields[parent]!.kind !== 'list') fields[parent]!.kind = 'object'
  }
  return fields
}

function shapeOf(service: Service): ServiceShape {
  const list = LISTS[service]
  const version =
    list?.includes('@version') === false
      ? null
      : TEXT_VERSION.includes(service)
        ? 'string'
        : 'integer'
  if (list === undefined)
    return { fields: readList(`${COMMON} ${INGESTED}`, version), free: true, version }
  const fields = readList(`${list} ${INGESTED}`, version)
  return { fields, free: OPEN_ENDED.includes(service), version }
}

/**
 * Dotted names of members that are not listed; below a free object any are allowed. For events that the service records
 * itself, which must match its schema.
 */
export function unlistedMembers(service: Service, document: object, prefix = ''): string[] {
  const { fields } = SHAPES[service]
  return Object.entries(document).flatMap(([name, value]) => {
    const path = prefix + name
    const shape = fields[path]
    if (value === undefined) return []
    if (!shape) return [path]
    if (shape.free || typeof value !== 'object' || value === null) return []
    const objects = [value].flat().filter((one) => typeof one === 'object' && one !== null)
    return objects.flatMap((one) => unlistedMembers(service, one, `${path}.`))
  })
}

/** The document schema of every service, for validation, search, projection and the console. */
export const SHAPES = Object.fromEntries(
  SERVICES.map((service) => [service, shapeOf(service)]),
) as Record<Service, ServiceShape>

const NAMES = new Set(SERVICES.flatMap((service) => Object.keys(SHAPES[service].fields)))

/** The kinds of a field in the given services; empty for an unlisted name. */
export const kindsOf = (services: readonly Service[], name: string): Set<FieldKind> =>
  new Set(services.flatMap((service) => SHAPES[service].fields[name]?.kind ?? []))

export const isSearchable = (name: string): boolean => !UNSEARCHABLE.has(name.split('.')[0]!)

/** Listed, or below a listed object: producers add members that are not listed. */
export const isKnown = (name: string): boolean =>
  name.split('.').some((_, at, parts) => NAMES.has(parts.slice(0, at + 1).join('.')))
