export { ApplicationsPage } from './applications.tsx'
export { PortalFrame } from './frame.tsx'
export { ProfilePage } from './profile.tsx'
export { SecurityPage } from './security.tsx'
