import { setTimeout as delay } from 'node:timers/promises'
import { type Started, start } from '../child.ts'
import { keyHeader, type Service } from '../service.ts'

export const PAGE_SIZE = 1000
const POLL_MS = 500

/** A people API in a process of its own. */
export async function startPeople(people: number): Promise<Started & { url: string }> {
  const options = ['--port', '0', '--people', String(people)]
  const started = await start(['cli/main.ts', 'lab', 'people', ...options], /is at \S+;/)
  return { ...started, url: /is at (\S+);/.exec(started.line)![1]! }
}

const same = (target: string, source = target) => ({ target, value: { source } })

const MAPPING = [
  same('externalId', 'id'),
  same('username'),
  same('email'),
  same('department'),
  same('firstname', 'firstName'),
  same('lastname', 'lastName'),
  same('jobTitle', 'title'),
  same('location', 'location.city'),
  same('manager', 'managerId'),
  {
    target: 'state',
    value: {
      map: { source: 'status' },
      values: { active: 'ACTIVATED', leave: 'SUSPENDED', terminated: 'SUSPENDED' },
    },
  },
]

interface Job {
  _id: string
  created: string
  finishedAt: string | null
  status: string
  statusReason: string | null
  total: number
  failed: number
  planned: Record<string, number>
}

/** An application that imports from there. */
export async function connectPeople({ url, apiKey }: Service, source: string) {
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...keyHeader(apiKey), 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`)
    return JSON.parse(text) as T
  }
  const { id } = await call<{ id: string }>('POST', '/api/applications', {
    name: 'bookmark',
    ssoUrl: 'https://hr.example.com/',
    active: true,
  })
  const path = `/api/v2/applications/${id}/import`
  await call('PUT', `${path}/config`, {
    source: {
      kind: 'rest',
      baseUrl: source,
      auth: { type: 'none' },
      listPath: '/offset',
      recordPath: 'people',
      paging: { type: 'offset', pageSize: PAGE_SIZE },
    },
    mapping: MAPPING,
    activationEmails: false,
  })
  return {
    /** Runs a job to its end. Returns the seconds it took, by its own clock. */
    async run(options: object = {}): Promise<number> {
      const operations = ['users.create', 'users.update']
      const body = { operations, ...options }
      const { _id } = await call<Job>('POST', `${path}/jobs`, body)
      for (;;) {
        const job = await call<Job>('GET', `${path}/jobs/${_id}`)
        if (job.status === 'finished' && job.failed === 0)
          return (Date.parse(job.finishedAt!) - Date.parse(job.created)) / 1000
        if (!['queued', 'running'].includes(job.status))
          throw new Error(`The import failed: ${JSON.stringify(job)}`)
        await delay(POLL_MS)
      }
    },
  }
}
