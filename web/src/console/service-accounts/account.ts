import type { components } from '../../../../client/index.ts'

export type Account = components['schemas']['ServiceAccount']
export type AuthConfig = components['schemas']['AuthConfig']
export type AuthType = AuthConfig['authType']

export const AUTH_TYPES: Record<AuthType, string> = {
  API_KEY: 'API key',
  CLIENT_SECRET: 'OAuth client secret',
}

export type Lifetime = '30 Days' | '60 Days' | '90 Days' | '365 Days'

export const LIFETIMES: { value: Lifetime; label: string }[] = [
  { value: '30 Days', label: '30 days' },
  { value: '60 Days', label: '60 days' },
  { value: '90 Days', label: '90 days' },
  { value: '365 Days', label: 'A year' },
]

/** The body that asks for a key or a secret. */
export const wanted = (authType: AuthType, lifetime: Lifetime) => ({
  authType,
  ...(authType === 'API_KEY'
    ? { apiKeyConfig: { lifetime } }
    : { clientSecretConfig: { lifetime } }),
})

export const secretOf = ({ apiKeyConfig, clientSecretConfig }: AuthConfig): string =>
  apiKeyConfig?.apiKey ?? clientSecretConfig?.clientSecret ?? ''

export const prefixOf = ({ apiKeyConfig, clientSecretConfig }: AuthConfig): string =>
  `${apiKeyConfig?.prefix ?? clientSecretConfig?.prefix ?? ''}…`
