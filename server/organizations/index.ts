export {
  createOrganization,
  foundOrganization,
  foundStandaloneOrganization,
  getOrganization,
  getProvider,
  type OnOrganizationCreated,
} from './actions.ts'
export { providerRoutes } from './provider-routes.ts'
export { settingsOf } from './records.ts'
export { organizationRoutes } from './routes.ts'
export {
  findOrganization,
  findProvider,
  forEachOrganization,
  insertOrganization,
  insertProvider,
  listAllOrganizations,
} from './store.ts'
