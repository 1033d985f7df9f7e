export {
  AdmissionDenied,
  admit,
  type IsProvisioned,
  type Person,
  type SignedIn,
} from './admission.ts'
export { type AttemptRow, deleteOldAttempts, readAttempts } from './attempt-store.ts'
export { type Attempt, mayRecord, recordAttempt } from './attempts.ts'
export {
  beginLogout,
  logoutOutcome,
  partyOf,
  partyPage,
  readRelay,
  settle,
  settleLater,
  signedOutPage,
  signOutAddress,
  tellApplicationsOfEnd,
} from './logout.ts'
export type {
  LogoutContext,
  LogoutProtocol,
  Party,
  PartyReference,
} from './logout-context.ts'
export { logoutRoutes } from './logout-routes.ts'
export { deleteOldLogouts } from './logout-store.ts'
export { opaque } from './opaque.ts'
export { type Delivery, failurePage, type Outcome, redirectTo } from './outcome.ts'
export { assetRoutes, sendOutcome, sendPage, type Visitor, visitorOf } from './page-routes.ts'
export { layout, type Page } from './pages.ts'
export { quoted } from './quoted.ts'
export { newToken, readToken, type Token } from './token.ts'
