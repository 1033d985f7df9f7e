const ONE_FACTOR = 'https://refeds.org/profile/sfa'
const TWO_FACTORS = 'https://refeds.org/profile/mfa'
export const ACR_VALUES = [TWO_FACTORS, ONE_FACTOR]

/**
 * The context class of a sign-in, by the REFEDS profiles. `acr_values` of a request are a wish (OpenID Connect Core
 * §3.1.2.1): whether there is a second factor is up to the organization, and the claim tells.
 */
export const acrOf = (methods: readonly string[]): string =>
  methods.length > 1 ? TWO_FACTORS : ONE_FACTOR
