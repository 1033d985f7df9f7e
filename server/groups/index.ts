export { createGroup } from './actions.ts'
export type { GroupContext } from './context.ts'
export { evaluateGroup, memberChanged } from './dynamic.ts'
export {
  evaluateAllGroupsJob,
  evaluateGroupJob,
  mailSuggestionsJob,
  purgeGroupsJob,
} from './job-definitions.ts'
export { groupJobs } from './jobs.ts'
export { memberNames } from './member-store.ts'
export { changeMember } from './members.ts'
export { type PlantedGroup, plantGroup } from './plant.ts'
export { groupRoutes } from './routes.ts'
export { groupNames } from './store.ts'
export { forgetMember } from './suggestion-store.ts'
