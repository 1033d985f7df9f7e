import { sha256 } from '../platform/secrets.ts'

/** Deterministic identifier that reveals nothing about its parts. The underscore makes it a valid XML name. */
export const opaque = (...parts: string[]): string => `_${sha256(parts.join(' ')).toString('hex')}`
