import { type Static, type TSchema, Type } from 'typebox'

const Id = Type.String({ pattern: '^[0-9a-f]{24}$' })
const date = Type.String({ format: 'date-time' })
const nullable = <T extends TSchema>(type: T) => Type.Union([type, Type.Null()])
const optional = Type.Optional
const text = optional(Type.String())
const flag = optional(Type.Boolean())
const count = optional(Type.Integer())

export const IdParams = Type.Object({ id: Type.String() })

const Attribute = Type.Object({ name: Type.String(), value: Type.String() })

/** A system silent for this long counts as disconnected; the agent reports every minute. */
export const ACTIVE_MINUTES = 5

/** v1 system record. `fields` may leave members out. */
export const System = Type.Object(
  {
    _id: Id,
    id: Id,
    active: flag,
    agentHasFullDiskAccess: flag,
    agentVersion: text,
    allowMultiFactorAuthentication: flag,
    allowPublicKeyAuthentication: flag,
    allowSshPasswordAuthentication: flag,
    allowSshRootLogin: flag,
    amazonInstanceID: text,
    arch: text,
    archFamily: text,
    attributes: optional(Type.Array(Attribute)),
    azureAdJoined: flag,
    builtInCommands: optional(
      Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
    ),
    connectionHistory: optional(Type.Array(Type.Object({}, { additionalProperties: true }))),
    created: optional(date),
    description: text,
    desktopCapable: flag,
    displayManager: text,
    displayName: text,
    domainInfo: optional(Type.Object({ domainName: text, partOfDomain: flag })),
    fde: optional(Type.Object({ active: flag, keyPresent: flag })),
    fileSystem: optional(nullable(Type.String())),
    hasServiceAccount: flag,
    hostname: text,
    hwVendor: text,
    isPolicyBound: flag,
    lastContact: optional(nullable(date)),
    mdm: optional(
      Type.Object({
        dep: flag,
        enrollmentType: optional(Type.Enum(['unknown', 'automated device', 'device', 'user'])),
        internal: optional(Type.Object({ deviceId: text, windowsDeviceId: text })),
        lostModeStatus: text,
        profileIdentifier: text,
        providerId: text,
        userApproved: flag,
        vendor: optional(Type.Enum(['unknown', 'none', 'internal', 'external'])),
        windows: optional(Type.Object({ upn: text })),
      }),
    ),
    modifySSHDConfig: flag,
    networkInterfaces: optional(
      Type.Array(Type.Object({ address: text, family: text, internal: flag, name: text })),
    ),
    organization: optional(Id),
    os: text,
    osFamily: text,
    osVersionDetail: optional(
      Type.Object({
        distributionName: text,
        major: text,
        majorNumber: count,
        minor: text,
        minorNumber: count,
        osName: text,
        patch: text,
        patchNumber: count,
        releaseName: text,
        revision: text,
        version: text,
      }),
    ),
    policyStats: optional(
      Type.Object({
        duplicate: count,
        failed: count,
        pending: count,
        success: count,
        total: count,
        unsupportedOs: count,
      }),
    ),
    primarySystemUser: optional(Type.Object({ id: nullable(Type.String()) })),
    provisionMetadata: optional(
      Type.Object({
        provisioner: Type.Object({
          provisionerId: text,
          type: Type.Enum(['administrator', 'mdm', 'user']),
        }),
      }),
    ),
    remoteAssistAgentVersion: text,
    remoteIP: text,
    secureLogin: optional(Type.Object({ enabled: flag, supported: flag })),
    serialNumber: text,
    serviceAccountState: optional(
      Type.Object({ hasSecureToken: flag, passwordAPFSValid: flag, passwordODValid: flag }),
    ),
    sshRootEnabled: flag,
    sshdParams: optional(Type.Array(Type.Object({ name: Type.String(), value: Type.String() }))),
    systemInsights: optional(
      Type.Object({ state: Type.Enum(['enabled', 'disabled', 'deferred']) }),
    ),
    systemTimezone: count,
    tags: optional(Type.Array(Type.String())),
    templateName: text,
    userMetrics: optional(
      Type.Array(
        Type.Object({
          admin: flag,
          managed: flag,
          secureTokenEnabled: flag,
          suspended: flag,
          userName: text,
        }),
      ),
    ),
    version: text,
  },
  { title: 'System' },
)
export type System = Static<typeof System>

export const SystemList = Type.Object(
  { totalCount: Type.Integer(), results: Type.Array(System) },
  { title: 'SystemList' },
)

export const PRIMARY_USER_TEXTS = [
  '_id',
  'company',
  'costCenter',
  'department',
  'description',
  'email',
  'employeeType',
  'jobTitle',
  'location',
  'manager',
  'state',
] as const

/** A search result: the record plus its groups and primary user. The dots are part of the names. */
export const FoundSystem = Type.Object(
  {
    ...System.properties,
    memberof: optional(Type.Array(Id, { description: 'Its system groups' })),
    ...Object.fromEntries(
      PRIMARY_USER_TEXTS.map((name) => [
        `primarySystemUser.${name}`,
        optional(nullable(Type.String())),
      ]),
    ),
    'primarySystemUser.attributes': optional(
      Type.Array(Type.Object({}, { additionalProperties: true })),
    ),
    'primarySystemUser.memberof': optional(Type.Array(Id)),
  },
  { title: 'FoundSystem' },
)
export type FoundSystem = System & {
  memberof?: string[]
  [dotted: `primarySystemUser.${string}`]: unknown
}

export const FoundSystemList = Type.Object(
  { totalCount: Type.Integer(), results: Type.Array(FoundSystem) },
  { title: 'FoundSystemList' },
)

/** Published samples send booleans as strings. */
const Flag = Type.Union([Type.Boolean(), Type.Literal('true'), Type.Literal('false'), Type.Null()])
const Text = nullable(Type.String({ maxLength: 1024 }))

/** Writable members. Others are ignored, because clients send whole records back. */
export const SystemPut = Type.Object(
  {
    displayName: optional(Text),
    description: optional(nullable(Type.String({ maxLength: 4096 }))),
    allowMultiFactorAuthentication: optional(Flag),
    allowPublicKeyAuthentication: optional(Flag),
    allowSshPasswordAuthentication: optional(Flag),
    allowSshRootLogin: optional(Flag),
    attributes: optional(
      nullable(
        Type.Array(
          Type.Object(
            {
              name: Type.String({ minLength: 1, maxLength: 256 }),
              value: nullable(Type.String({ maxLength: 1024 })),
            },
            { additionalProperties: true },
          ),
          { maxItems: 1000, description: 'Replaces the whole list' },
        ),
      ),
    ),
    primarySystemUser: optional(
      nullable(Type.Object({ id: nullable(Type.String()) }, { additionalProperties: true })),
    ),
    tags: optional(nullable(Type.Array(Type.String({ maxLength: 256 }), { maxItems: 1000 }))),
  },
  { title: 'SystemPut', additionalProperties: true },
)
export type SystemPut = Static<typeof SystemPut>

export const SystemSshKey = Type.Object(
  {
    _id: Id,
    id: Id,
    name: Type.String(),
    public_key: Type.String(),
    create_date: date,
  },
  { title: 'SystemSshKey' },
)
export type SystemSshKey = Static<typeof SystemSshKey>

export const ConnectKey = Type.Object(
  { connectKey: Type.String(), created: date },
  { title: 'ConnectKey' },
)

const short = Type.String({ maxLength: 1024 })

/** Facts that a machine reports about itself. */
export const Facts = Type.Object(
  {
    hostname: Type.String({ minLength: 1, maxLength: 255 }),
    os: short,
    osFamily: short,
    version: short,
    arch: short,
    serialNumber: optional(short),
    hwVendor: optional(short),
    agentVersion: optional(short),
    networkInterfaces: optional(
      Type.Array(
        Type.Object({
          name: short,
          family: Type.Enum(['IPv4', 'IPv6']),
          address: short,
          internal: Type.Boolean(),
        }),
        { maxItems: 1000 },
      ),
    ),
    sshKeys: optional(
      Type.Array(Type.Object({ name: short, publicKey: Type.String({ maxLength: 16_384 }) }), {
        maxItems: 100,
      }),
    ),
  },
  { title: 'SystemFacts', additionalProperties: true },
)
export type Facts = Static<typeof Facts>

export const Registration = Type.Object(
  {
    ...Facts.properties,
    displayName: optional(short),
    publicKey: Type.String({
      maxLength: 16_384,
      description: 'RSA, at least 2048 bits: PEM, or the Base64 of its DER form',
    }),
  },
  { title: 'SystemRegistration', additionalProperties: true },
)
export type Registration = Static<typeof Registration>

/** An event of the service `systems`; the system and the time come from the request. */
export const AgentEvent = Type.Object(
  {
    event_type: Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }),
    success: optional(Type.Boolean()),
    username: optional(short),
    process_name: optional(short),
    message: optional(Type.String({ maxLength: 8192 })),
    src_ip: optional(short),
    system_timestamp: optional(short),
  },
  { title: 'AgentEvent', additionalProperties: true },
)
export type AgentEvent = Static<typeof AgentEvent>

export { PolicyResult } from '../users/schema.ts'
/** These lists are always empty: no software is managed. */
export const SoftwareAppWithStatus = Type.Object(
  {},
  { title: 'SoftwareAppWithStatus', additionalProperties: true },
)
