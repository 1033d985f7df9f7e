const MAX_QUOTED = 200

/** Client input as it may appear in a message: it can be anything, of any length. */
export const quoted = (value: string): string =>
  value.length > MAX_QUOTED ? `${value.slice(0, MAX_QUOTED)}…` : value
