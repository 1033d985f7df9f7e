export type { GroupContext } from './context.ts'
export { membersChanged } from './dynamic.ts'
export {
  evaluateAllGroupsJob,
  evaluateGroupJob,
  mailSuggestionsJob,
  purgeGroupsJob,
} from './job-definitions.ts'
export { groupJobs } from './jobs.ts'
export { groupsOfUsers, memberNames } from './member-store.ts'
export { groupRoutes } from './routes.ts'
export { seedGroup } from './seed.ts'
export { findGroupsByName, groupNames } from './store.ts'
export { forgetMember } from './suggestion-store.ts'
