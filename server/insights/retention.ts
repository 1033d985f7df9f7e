/** For how long events are kept where an organization has not chosen (specification, "Limits"). */
export const DEFAULT_RETENTION_DAYS = 90
