import { useSyncExternalStore } from 'react'
import { apiOf } from '../../api/organization.ts'
import { ApiError } from '../../api/session.ts'
import { keyOf } from '../reads.ts'
import { csrfToken, queries } from '../session.ts'
import { KINDS } from './steps.ts'
import { hasFailed, type NewWork, type Work } from './work.ts'

// The work of each organization, and the loop that does it.

const listeners = new Set<() => void>()
const works = new Map<string, Work[]>()
const running = new Set<string>()
const storageKey = (organization: string) => `gatehouse-tray-${organization}`

function stored(organization: string): Work[] {
  try {
    return JSON.parse(localStorage.getItem(storageKey(organization)) ?? '[]')
  } catch {
    return []
  }
}

function worksOf(organization: string): Work[] {
  const known = works.get(organization) ?? stored(organization)
  works.set(organization, known)
  return known
}

function save(organization: string, next: Work[]): void {
  works.set(organization, next)
  localStorage.setItem(storageKey(organization), JSON.stringify(next))
  for (const listener of listeners) listener()
}

const find = (organization: string, id: string) =>
  worksOf(organization).find((work) => work.id === id)

const change = (organization: string, id: string, by: Partial<Work>): void =>
  save(
    organization,
    worksOf(organization).map((work) => (work.id === id ? { ...work, ...by } : work)),
  )

async function takeSteps(organization: string, id: string): Promise<void> {
  const api = apiOf({ organization, csrfToken, onCall: () => {} })
  for (;;) {
    const work = find(organization, id)
    const kind = work && KINDS[work.kind]
    if (!kind || work.finished) return
    const note = (by: Partial<Work>) => change(organization, id, by)
    try {
      note(await kind.step(api, work, note))
    } catch (error) {
      // Signed out or offline: a later visit continues.
      if (!(error instanceof ApiError) || [0, 401].includes(error.status)) return
      note({ finished: true, error: error.message })
    }
    if (find(organization, id)?.finished)
      for (const key of kind.touches)
        void queries.invalidateQueries({ queryKey: keyOf(organization, key) })
  }
}

/** In one tab at a time, where the browser can tell. */
async function run(organization: string, id: string): Promise<void> {
  if (running.has(id)) return
  running.add(id)
  try {
    const steps = () => takeSteps(organization, id)
    await (navigator.locks
      ? navigator.locks.request(`gatehouse-${id}`, { ifAvailable: true }, async (lock) => {
          if (lock) await steps()
        })
      : steps())
  } finally {
    running.delete(id)
  }
}

export function startWork(organization: string, work: NewWork): void {
  const id = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`
  const added: Work = { ...work, id, done: 0, failed: [], finished: false }
  // What ended well has been seen by now; failures stay until they are dismissed or the work is done anew.
  const others = worksOf(organization).filter(
    (other) => !other.finished || (hasFailed(other) && other.title !== work.title),
  )
  save(organization, [...others, added])
  void run(organization, id)
}

export const resumeWork = (organization: string): void => {
  for (const { id, finished } of worksOf(organization)) if (!finished) void run(organization, id)
}

export const dismissWork = (organization: string, id: string): void =>
  save(
    organization,
    worksOf(organization).filter((work) => work.id !== id),
  )

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useWorks = (organization: string): Work[] =>
  useSyncExternalStore(subscribe, () => worksOf(organization))
