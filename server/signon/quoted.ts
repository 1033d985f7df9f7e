const MAX_QUOTED = 200

/** Truncates client input for use in a message. */
export const quoted = (value: string): string =>
  value.length > MAX_QUOTED ? `${value.slice(0, MAX_QUOTED)}…` : value
