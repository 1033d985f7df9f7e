import { type DestinationStream, type Logger, pino } from 'pino'
import pretty from 'pino-pretty'

export type { Logger }

/** Headers and members that hold secrets, wherever a line mentions them. */
const SECRETS = [
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
]

/** JSON lines for machines, coloured lines when a person watches. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const stream =
    destination ??
    (process.stdout.isTTY
      ? pretty({ translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' })
      : undefined)
  const options = {
    level,
    base: null,
    redact: {
      paths: SECRETS.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
      censor: '[hidden]',
    },
  }
  return stream ? pino(options, stream) : pino(options)
}
