export { currentSession } from './authenticate.ts'
export type { Method, PortalContext, UserSession } from './context.ts'
export { type SignInHints, signInAddress } from './continue.ts'
export { endSession } from './sessions.ts'
