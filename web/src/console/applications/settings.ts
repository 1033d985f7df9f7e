import { ApiError } from '../../api/session.ts'

/** A setting as the API describes it, with what a form needs to show it. */
export interface Entry {
  name: string
  type: string
  label: string
  help: string
  required: boolean
  readOnly: boolean
  options: { value: string; label: string }[]
  /** Shown only while that setting is on. */
  dependsOn: string | undefined
}

export type Values = Record<string, unknown>

interface Wire {
  type: string
  label: string
  position: number
  required: boolean
  readOnly: boolean
  visible: boolean
  tooltip: { variables: { message: string } }
  options?: { text: string; value: string }[] | null
  dependsOnProperty?: string
  value?: unknown
}

/** Of an application or of a template. */
type Config = object

/** Keys are exchanged by rotation, not in a form. */
const KEYS = ['idpCertificate', 'idpPrivateKey']

/** Parts of the one setting that has several values. */
const CLAIMS = [
  'sendAmrClaim',
  'authnContextMode',
  'singleAuthnContextValue',
  'authnContextMappings',
]

const wire = (config: Config) => Object.entries(config as Record<string, Wire>)

export const entriesOf = (config: Config): Entry[] =>
  wire(config)
    .filter(([name, { visible }]) => visible && !KEYS.includes(name))
    .sort(([, a], [, b]) => a.position - b.position)
    .map(([name, entry]) => ({
      name,
      type: entry.type,
      label: entry.label.replace(/:$/, ''),
      help: entry.tooltip.variables.message,
      required: entry.required,
      readOnly: entry.readOnly,
      options: (entry.options ?? []).map(({ text, value }) => ({ value, label: text })),
      dependsOn: entry.dependsOnProperty,
    }))

const claimsOf = (entry: Wire): Values =>
  Object.fromEntries(
    CLAIMS.map((claim) => [claim, (entry as unknown as Record<string, Wire>)[claim]?.value]),
  )

export const valuesOf = (config: Config): Values =>
  Object.fromEntries(
    wire(config).map(([name, entry]) => [
      name,
      entry.type === 'object' ? claimsOf(entry) : entry.value,
    ]),
  )

/** As the API takes them. */
export const configOf = (values: Values): Record<string, object> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      name === 'authClaimConfiguration'
        ? Object.fromEntries(
            Object.entries(value as Values).map(([claim, value]) => [claim, { value }]),
          )
        : { value },
    ]),
  )

/** Such as https://{workspace}.example.com: the administrator knows what goes there. */
export const hasPlaceholder = (value: unknown): boolean =>
  typeof value === 'string' && /\{[^{}"]+\}/.test(value)

/** "config.acsUrl: must be a URL": where to show it, and what. */
export function settingError(error: Error | null): { name: string; message: string } | null {
  if (!(error instanceof ApiError)) return null
  const [, name, message] = /^config\.(\w+)[^:]*: (.*)$/s.exec(error.message) ?? []
  return name && message ? { name, message } : null
}

/** How a form groups the settings. What is in none of these comes first. */
export const SECTIONS: { title: string; names: string[] }[] = [
  {
    title: 'User and attributes',
    names: [
      ...['subjectField', 'overrideNameIdFormat', 'databaseAttributes', 'constantAttributes'],
      ...['includeGroups', 'groupsAttributeName'],
    ],
  },
  {
    title: 'Signing and encryption',
    names: [
      ...['signAssertion', 'signResponse', 'signatureAlgorithm', 'spCertificate'],
      ...['spEncryptionCertificate', 'encryptionAlgorithm', 'declareRedirectEndpoint'],
    ],
  },
  { title: 'Single logout', names: ['sloUrl', 'sloResponseUrl', 'sloBinding'] },
  { title: 'What assertions say about the sign-in', names: ['authClaimConfiguration'] },
  {
    title: 'Start of the sign-in and errors',
    names: ['idpEntityId', 'defaultTargetUrl', 'idpInitUrl', 'spErrorFlow'],
  },
]

export const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
