interface First {
  email: string
  apiKey: string
  organizationId: string
  providerId: string
}

/** Secrets that the operator has set are never printed: container logs have many readers. */
interface Given {
  password: boolean
  apiKey: boolean
}

interface Announcement {
  baseUrl: string
  first: First | null
  given: Given
  /** As long as no administrator has a password. */
  setupToken: string | null
  /** Whether the SCIM provider of the demo is served. */
  servesLab: boolean
  /** The file with the passwords and keys of the demo data, if loaded. */
  demoCredentials: string | null
  role: string
  /** Whether mail is sent. */
  sendsMail: boolean
  /** How to call the command line. */
  help: string
  readyMs: number
}

const AS_SET = '(as set)'

const describe = (first: First, given: Given): string[] => [
  '',
  '  The first administrator (shown only once):',
  `    e-mail        ${first.email}`,
  `    password      ${given.password ? AS_SET : 'chosen by the link that a start prints'}`,
  `    API key       ${given.apiKey ? AS_SET : first.apiKey}`,
  `    organization  ${first.organizationId}`,
  `    provider      ${first.providerId}`,
]

/** For a start that fails after creating the administrator: the next start would not show the key again. */
export function announceFirst(first: First | null, given: Given): void {
  if (first) process.stdout.write(`${describe(first, given).join('\n')}\n\n`)
}

/** Printed to the terminal. Only this file prints the secrets of the first administrator. */
export function announce(announcement: Announcement): void {
  const { baseUrl, first, given, setupToken, servesLab, demoCredentials } = announcement
  const { role, readyMs, sendsMail, help } = announcement
  const lines = ['', `  Gatehouse is ready (${(readyMs / 1000).toFixed(1)} s, ${role})`, '']
  if (role !== 'worker')
    lines.push(
      `  Portal           ${baseUrl}/`,
      `  Console          ${baseUrl}/console`,
      `  Management API   ${baseUrl}/api`,
      `  API reference    ${baseUrl}/docs`,
    )
  lines.push(`  Health           ${baseUrl}/readyz`)
  if (role === 'worker') lines.push(`  Metrics          ${baseUrl}/metrics`)
  lines.push(
    `  Command line     ${help}`,
    `  Mail             ${sendsMail ? 'is sent by SMTP' : 'is kept until GATEHOUSE_SMTP_URL is set; see gatehouse mail'}`,
  )
  if (servesLab) lines.push(`  SCIM provider    ${baseUrl}/lab/`)
  if (first) {
    const key = given.apiKey ? '$GATEHOUSE_ADMIN_API_KEY' : first.apiKey
    lines.push(...describe(first, given))
    lines.push('', `  Try: curl -H "x-api-key: ${key}" ${baseUrl}/api/organizations`)
  }
  if (setupToken) {
    const link = `${baseUrl}/console/password?token=${setupToken}`
    lines.push(
      '',
      '  Choose the password of the first administrator (works once, for 72 hours):',
      `    ${link}`,
    )
  }
  if (demoCredentials) lines.push('', `  Passwords and keys of the demo: ${demoCredentials}`)
  process.stdout.write(`${lines.join('\n')}\n\n`)
}
