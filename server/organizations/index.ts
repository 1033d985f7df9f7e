export {
  createOrganization,
  deleteOrganization,
  foundOrganization,
  foundStandaloneOrganization,
  getOrganization,
  getProvider,
} from './actions.ts'
export type { OrganizationContext } from './context.ts'
export { eraseOrganization, eraseOrganizationsJob, KEPT_DAYS, organizationJobs } from './erase.ts'
export { providerRoutes } from './provider-routes.ts'
export { settingsOf } from './records.ts'
export { organizationRoutes } from './routes.ts'
export { RESTRICTED_FIELDS } from './schema.ts'
export {
  deletedOrganizationsOf,
  findAnyOrganization,
  findOrganization,
  findProvider,
  forEachOrganization,
  insertOrganization,
  insertProvider,
  listAllOrganizations,
  organizationsOf,
} from './store.ts'
