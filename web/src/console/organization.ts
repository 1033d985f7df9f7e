import { createContext, useContext } from 'react'
import type { Session } from './session.ts'

interface Place {
  id: string
  name: string
  session: Session
}

export const OrganizationContext = createContext<Place | null>(null)

/** The organization of the address, and who is looking at it. */
export function useOrganization(): Place {
  const place = useContext(OrganizationContext)
  if (!place) throw new Error('This page is not below an organization')
  return place
}

/** Of the roles that see commands and run them, and nothing else. */
const RUNNER = 'commandrunner.legacy'

/** Scopes of the API by which pages show or hide what the server would refuse. */
export function useMay() {
  const { session } = useOrganization()
  return {
    write: (scope: string) => session.scopes.includes(scope),
    read: (scope: string) =>
      session.scopes.includes(scope) || session.scopes.includes(`${scope}.readonly`),
    /** Imports write users, and provisioning sends their attributes. */
    imports: ['applications', 'users'].every((scope) => session.scopes.includes(scope)),
    provisions:
      session.scopes.includes('applications') &&
      ['users', 'users.readonly'].some((scope) => session.scopes.includes(scope)),
    run: session.scopes.includes('commands') || session.scopes.includes(RUNNER),
  }
}
