import type { Credentials } from './admins/index.ts'

type First = Credentials & { organizationId: string; providerId: string }

/** What the operator has set is known to them, and the log of a container is read by many: it is never printed. */
interface Given {
  password: boolean
  apiKey: boolean
}

interface Announcement {
  baseUrl: string
  first: First | null
  given: Given
  /** The file with the passwords and keys of the demo world, when it was asked for. */
  demoCredentials: string | null
  role: string
  readyMs: number
}

const AS_SET = '(as set)'

const describe = (first: First, given: Given): string[] => [
  '',
  '  The first administrator, shown this once:',
  `    e-mail        ${first.email}`,
  `    password      ${given.password ? AS_SET : first.password}`,
  `    API key       ${given.apiKey ? AS_SET : first.apiKey}`,
  `    organization  ${first.organizationId}`,
  `    provider      ${first.providerId}`,
]

/** A start that fails after the administrator was made: the next one would not tell the secrets again. */
export function announceFirst(first: First | null, given: Given): void {
  if (first) process.stdout.write(`${describe(first, given).join('\n')}\n\n`)
}

/** For the person at the terminal. The secrets of the first administrator are printed by this file and nowhere else. */
export function announce(announcement: Announcement): void {
  const { baseUrl, first, given, demoCredentials, role, readyMs } = announcement
  const lines = ['', `  Gatehouse is ready (${(readyMs / 1000).toFixed(1)} s, ${role})`, '']
  lines.push(
    `  Portal           ${baseUrl}/`,
    `  Management API   ${baseUrl}/api`,
    `  API reference    ${baseUrl}/docs`,
    `  Health           ${baseUrl}/readyz`,
  )
  if (first) {
    const key = given.apiKey ? '$GATEHOUSE_ADMIN_API_KEY' : first.apiKey
    lines.push(...describe(first, given))
    lines.push('', `  Try: curl -H "x-api-key: ${key}" ${baseUrl}/api/organizations`)
  }
  if (demoCredentials) lines.push('', `  Passwords and keys of the demo world: ${demoCredentials}`)
  process.stdout.write(`${lines.join('\n')}\n\n`)
}
