import { sha256 } from '../platform/secrets.ts'

/** The same for the same parts, and tells nothing about them. Starts like an XML name. */
export const opaque = (...parts: string[]): string => `_${sha256(parts.join(' ')).toString('hex')}`
