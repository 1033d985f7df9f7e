export { Frame } from './frame.tsx'
export { NoOrganization } from './no-organization.tsx'
