import type { Credentials } from './admins/index.ts'

type First = Credentials & { organizationId: string; providerId: string }

interface Announcement {
  baseUrl: string
  first: First | null
  /** The file with the passwords and keys of the demo world, when it was asked for. */
  demoCredentials: string | null
  role: string
  readyMs: number
}

const describe = (first: First): string[] => [
  '',
  '  The first administrator, shown this once:',
  `    e-mail        ${first.email}`,
  `    password      ${first.password}`,
  `    API key       ${first.apiKey}`,
  `    organization  ${first.organizationId}`,
  `    provider      ${first.providerId}`,
]

/** A start that fails after the administrator was made: the next one would not tell the secrets again. */
export function announceFirst(first: First | null): void {
  if (first) process.stdout.write(`${describe(first).join('\n')}\n\n`)
}

/** For the person at the terminal. The secrets of the first administrator are printed by this file and nowhere else. */
export function announce({ baseUrl, first, demoCredentials, role, readyMs }: Announcement): void {
  const lines = ['', `  Gatehouse is ready (${(readyMs / 1000).toFixed(1)} s, ${role})`, '']
  lines.push(
    `  Portal           ${baseUrl}/`,
    `  Management API   ${baseUrl}/api`,
    `  API reference    ${baseUrl}/docs`,
    `  Health           ${baseUrl}/readyz`,
  )
  if (first) {
    lines.push(...describe(first))
    lines.push('', `  Try: curl -H "x-api-key: ${first.apiKey}" ${baseUrl}/api/organizations`)
  }
  if (demoCredentials) lines.push('', `  Passwords and keys of the demo world: ${demoCredentials}`)
  process.stdout.write(`${lines.join('\n')}\n\n`)
}
