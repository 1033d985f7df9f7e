/**
 * What an application decides about its audit events. An action records an event with no more than its transaction, and
 * applications in one process may differ, so their Db carries it (`withRecording`).
 */
export interface Recording {
  /** How old an event must be before readers see it; see GATEHOUSE_EVENT_SETTLING_SECONDS. */
  settlingSeconds: number
  /** Some collectors accept `@version` as text only. */
  versionAsText: boolean
  /** The location of an address, unless it is unknown or not public. */
  locate(ip: string): object | undefined
  /** Called with each event of the service itself once it is committed. */
  recorded(event: { id: string; event_type: string; service: string }): void
  /** Called for each part of a segment of stored events that cannot be read. */
  damaged(segment: { organizationId: string; id: string }, part: object, error: unknown): void
}

/** For tools that open a database without an application. */
export const PLAIN_RECORDING: Recording = {
  settlingSeconds: 0,
  versionAsText: false,
  locate: () => undefined,
  recorded: () => {},
  damaged: () => {},
}
