import { type DestinationStream, type Logger, pino } from 'pino'
import pretty from 'pino-pretty'

export type { Logger }

/** Members that hold secrets, wherever a line mentions them. */
const SECRETS = new Set([
  'authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'x-csrf-token',
  'password',
  'apiKey',
  'token',
  'secret',
  'code',
])

/**
 * A safety net: nothing logs secrets on purpose. By hand, because path patterns with wildcards took a quarter
 * of the time of a request.
 */
export function hideSecrets(line: Record<string, unknown>, depth = 0): Record<string, unknown> {
  let hidden = line
  for (const name in line) {
    const value = line[name]
    let shown = value
    if (SECRETS.has(name) && typeof value === 'string') shown = '[hidden]'
    else if (
      depth < 3 &&
      typeof value === 'object' &&
      value !== null &&
      !(value instanceof Error)
    ) {
      shown = hideSecrets(value as Record<string, unknown>, depth + 1)
    }
    if (shown !== value) {
      if (hidden === line) hidden = { ...line }
      hidden[name] = shown
    }
  }
  return hidden
}

/** JSON lines for machines, coloured lines when a person watches. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const watched = () => pretty({ translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' })
  const stream = destination ?? (process.stdout.isTTY ? watched() : undefined)
  const options = { level, base: null, formatters: { log: hideSecrets } }
  return stream ? pino(options, stream) : pino(options)
}
