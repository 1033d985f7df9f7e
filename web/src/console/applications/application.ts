import type { components } from '../../../../client/index.ts'
import { type Api, dataOf } from '../../api/organization.ts'
import { ApiError } from '../../api/session.ts'

export type Application = Awaited<ReturnType<ReturnType<typeof readApplication>>>
type Write = components['schemas']['ApplicationWrite']
export type Color = NonNullable<Write['color']>

export const TYPES: Record<string, string> = {
  saml: 'SAML 2.0',
  oidc: 'OpenID Connect',
  bookmark: 'Bookmark',
}

export const applicationKey = (id: string) => ['applications', id, 'record']

export const readApplication = (id: string) => async (api: Api) =>
  dataOf(await api.management.GET('/applications/{id}', { params: { path: { id } } }))

export const nameOf = ({
  displayLabel,
  displayName,
  name,
}: Partial<Pick<Application, 'displayLabel' | 'displayName' | 'name'>>): string =>
  displayLabel || displayName || name || ''

/** The API replaces the application, so what a form does not show is sent back. */
export const writeOf = (application: Application): Write => ({
  name: application.name,
  displayName: application.displayName,
  displayLabel: application.displayLabel,
  description: application.description,
  active: application.active,
  beta: application.beta,
  aiReady: application.aiReady,
  color: application.color as Color,
  learnMore: application.learnMore,
  parentApp: application.parentApp,
  referenceApplications: application.referenceApplications,
  sso: { hidden: application.sso.hidden, jit: application.sso.jit },
  ssoUrl: application.ssoUrl,
  config: { ...application.config },
})

/** Null: there is none yet. */
export async function orNull<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}
