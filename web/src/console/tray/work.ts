import type { QueryKey } from '@tanstack/react-query'
import type { Api } from '../../api/organization.ts'

// Long work: done step by step, kept in the browser's storage, continued after a reload.

interface Failure {
  /** Of a user. */
  id: string
  /** Of somebody who has not become one. */
  name?: string
  reason: string
}

export interface Work {
  id: string
  /** Which steps to take (steps.ts). */
  kind: string
  /** What the steps need; plain JSON. */
  input: Record<string, unknown>
  /** Such as "Suspend 120 users". */
  title: string
  /** The page about it, below the organization. */
  link: string
  search?: Record<string, string>
  total: number
  done: number
  failed: Failure[]
  finished: boolean
  /** How it ended, if not well. */
  outcome?: string
  /** Why it stopped as a whole. */
  error?: string
}

/** As a whole or in part. */
export const hasFailed = ({ outcome, error, failed }: Work): boolean =>
  outcome !== undefined || error !== undefined || failed.length > 0

export type NewWork = Pick<Work, 'kind' | 'input' | 'title' | 'link' | 'search' | 'total'>

/**
 * Takes the next step. A step may be taken twice, if the page is left in between. A long one tells how far it is by
 * `note`.
 */
export type Step = (
  api: Api,
  work: Work,
  note: (by: Partial<Work>) => void,
) => Promise<Partial<Work>>

export interface Kind {
  step: Step
  /** Starts of the keys of what has changed in the end. */
  touches: QueryKey[]
}
