/** Services of the specification, including those that have events but are missing from its list. */
export const SERVICES = [
  'access_management',
  'ai_admin',
  'aigw',
  'alert',
  'asset_management',
  'di_events',
  'directory',
  'genai',
  'generic_di',
  'ldap',
  'mdm',
  'notifications',
  'object_storage',
  'password_manager',
  'password_vault',
  'radius',
  'reports',
  'saas_app_management',
  'software',
  'sso',
  'systems',
] as const
export type Service = (typeof SERVICES)[number]

/** Services whose events are recorded here (own-event.ts): ingested ones must not pass for them. */
export const OWN_SERVICES = ['directory', 'reports', 'sso', 'systems'] as const
export type OwnService = (typeof OWN_SERVICES)[number]

export const isOwnService = (service: Service): service is OwnService =>
  (OWN_SERVICES as readonly Service[]).includes(service)

/** Aliases that public clients send. */
const ALIASES: Record<string, Service> = { alerts: 'alert' }

const isService = (name: string): name is Service => (SERVICES as readonly string[]).includes(name)

/** The service for a name or alias in any case; `all` is not one. */
export function serviceOf(name: string): Service | undefined {
  const folded = name.toLowerCase()
  if (isService(folded)) return folded
  return Object.hasOwn(ALIASES, folded) ? ALIASES[folded] : undefined
}
