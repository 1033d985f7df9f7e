export { readContent } from './answer.ts'
export { Authorization } from './authorization.ts'
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
export { ScimFailure, type ScimFailureKind, unanswered } from './failures.ts'
export { ScimProvider } from './provider.ts'
export { detailOf, retryAfterOf } from './refusal.ts'
export type { ScimQuirks } from './schema.ts'
export { type Remote, SCHEMAS, type ScimExchange, type ScimUser } from './types.ts'
