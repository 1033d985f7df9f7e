/** The two published contracts. */
export const BUNDLES = ['management', 'insights'] as const
export type Bundle = (typeof BUNDLES)[number]

export const TITLES: Record<Bundle, string> = {
  management: 'Gatehouse management API',
  insights: 'Gatehouse Directory Insights API',
}

const ERRORS =
  'Every error has a `reason`: a stable, machine-readable code, listed in docs/reasons.md. The wording of `message` may change.'

export const DESCRIPTIONS: Record<Bundle, string> = {
  management: `Send an API key in \`x-api-key\`, or an access token of a service account as a bearer token. Administrators of several organizations select one with \`x-org-id\`. ${ERRORS}`,
  insights: `Audit events. Credentials are the same as for the management API. ${ERRORS}`,
}
