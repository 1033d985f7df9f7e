/** The two published contracts. */
export const BUNDLES = ['management', 'insights'] as const
export type Bundle = (typeof BUNDLES)[number]

export const TITLES: Record<Bundle, string> = {
  management: 'Gatehouse management API',
  insights: 'Gatehouse Directory Insights API',
}
