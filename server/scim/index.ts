export { ScimClient } from './client.ts'
export type { ScimAuth } from './connection.ts'
export {
  checkDestination,
  joinAuth,
  type PublicAuth,
  secretGoesTo,
  splitAuth,
  urlsOf,
} from './credentials.ts'
export { ScimFailure, type ScimFailureKind } from './failures.ts'
export { ScimProvider } from './provider.ts'
export type { ScimQuirks } from './schema.ts'
export { type Remote, SCHEMAS, type ScimExchange, type ScimUser } from './types.ts'
