import { signOut } from '../session.ts'

/** A full page load: nothing of this session stays in memory. */
export const leave = (): Promise<void> =>
  signOut()
    .catch(() => undefined)
    .then(() => window.location.assign('/console/sign-in'))
