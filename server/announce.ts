import type { Credentials } from './admins/index.ts'

interface Announcement {
  baseUrl: string
  first: (Credentials & { organizationId: string; providerId: string }) | null
  /** The file with the passwords and keys of the demo world, when it was asked for. */
  demoCredentials: string | null
  role: string
  readyMs: number
}

/** For the person at the terminal. The secrets of the first administrator are printed here and nowhere else. */
export function announce({ baseUrl, first, demoCredentials, role, readyMs }: Announcement): void {
  const lines = ['', `  Gatehouse is ready (${(readyMs / 1000).toFixed(1)} s, ${role})`, '']
  lines.push(
    `  Management API   ${baseUrl}/api`,
    `  API reference    ${baseUrl}/docs`,
    `  Health           ${baseUrl}/readyz`,
  )
  if (first) {
    lines.push('', '  The first administrator, shown this once:')
    lines.push(
      `    e-mail        ${first.email}`,
      `    password      ${first.password}`,
      `    API key       ${first.apiKey}`,
    )
    lines.push(`    organization  ${first.organizationId}`, `    provider      ${first.providerId}`)
    lines.push('', `  Try: curl -H "x-api-key: ${first.apiKey}" ${baseUrl}/api/organizations`)
  }
  if (demoCredentials) lines.push('', `  Passwords and keys of the demo world: ${demoCredentials}`)
  process.stdout.write(`${lines.join('\n')}\n\n`)
}
