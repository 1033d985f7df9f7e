export { userAccountRoutes } from './account-routes.ts'
export {
  changeLockedUser,
  changeLockedUsers,
  changeUser,
  lockForRemoval,
  removeLockedUser,
} from './actions.ts'
export { bulkResults, startBulk, toBulkResult } from './bulk/actions.ts'
export { bulkUserRoutes } from './bulk/routes.ts'
export {
  actorAgain,
  type StoredActor,
  storedActor,
  type UserActor,
  type UserChangeContext,
  type UserContext,
  type UserListener,
} from './context.ts'
export { addUsers, type PreparedUser, prepareUser, VENDOR, whileNumbered } from './create.ts'
export type { Profile } from './fields.ts'
export { userJobDefinitions, userJobs } from './jobs.ts'
export { mailActivation, mailPasswordReset, renewPasswordLink } from './mails.ts'
export { findByEmployeeIdentifiers, findMatches } from './match-store.ts'
export { ownerOfLink, type PasswordLink, userActor } from './passwords/choose-password.ts'
export { userPasswordRoutes } from './passwords/link-routes.ts'
export { acceptPassword, withPassword } from './passwords/passwords.ts'
export { rulesOf } from './passwords/policy.ts'
export {
  auditFields as userFields,
  isPasswordExpired,
  resourceOf,
  toUser,
  userChanges,
  userFingerprint,
} from './records.ts'
export { checkRestricted, isRestricted } from './restricted-fields.ts'
export { userRoutes } from './routes.ts'
export { type RowChange, whileUnique } from './save.ts'
export { scheduledStateRoutes } from './scheduled/routes.ts'
export { User, type UserCreate, UserPut, UserState } from './schema.ts'
export { seedUser } from './seed.ts'
export { type UserSettings, userSettings } from './settings.ts'
export {
  attemptsLeft,
  failLogin,
  forgiveBadLogins,
  isUsedTotp,
  spendTotp,
  totpContext,
} from './sign-in.ts'
export { saveTotpCounter } from './sign-in-store.ts'
export { stateAt } from './state-history.ts'
export { userStatusRoutes } from './status-routes.ts'
export {
  findUser,
  findUserByLogin,
  findUsers,
  lockUser,
  lockUsers,
  type UserRow,
  userResource,
} from './store.ts'
export { UnixUids } from './unix-uids.ts'
export { usersAfter } from './walk-store.ts'
export { applyWrite, type UserWrite } from './write.ts'
