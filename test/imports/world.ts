import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startPeopleLab } from '../../lab/people.ts'
import type { Response, startApp } from '../harness.ts'
import { addApplication, type Org } from '../sso/world.ts'

type App = Awaited<ReturnType<typeof startApp>>
type LabOptions = Parameters<typeof startPeopleLab>[0]

export const ok = (res: Response, status = 200): Response => {
  assert.equal(res.statusCode, status, res.body)
  return res
}

export async function startPeople(options: LabOptions = {}) {
  const lab = await startPeopleLab(options)
  after(lab.close)
  return lab
}
type Lab = Awaited<ReturnType<typeof startPeople>>

const same = (...names: string[]) =>
  names.map((name) => ({ target: name, value: { source: name } }))

/** From the records of the lab. */
export const PEOPLE_MAPPING = [
  { target: 'externalId', value: { source: 'id' }, required: true },
  ...same('username', 'email', 'department', 'groups'),
  { target: 'firstname', value: { source: 'firstName' } },
  { target: 'lastname', value: { source: 'lastName' } },
  { target: 'jobTitle', value: { source: 'title' } },
  { target: 'location', value: { source: 'location.city' } },
  { target: 'manager', value: { source: 'managerId' } },
  {
    target: 'state',
    value: {
      map: { source: 'status' },
      values: { active: 'ACTIVATED', leave: 'SUSPENDED', terminated: 'SUSPENDED' },
    },
  },
]

const BOTH = ['users.create', 'users.update']

/** The configuration of a source that reads from the lab. */
export const peopleConfig = (url: string) => ({
  source: {
    kind: 'rest',
    baseUrl: url,
    auth: { type: 'none' },
    listPath: '/offset',
    recordPath: 'people',
    paging: { type: 'offset' },
  },
  mapping: PEOPLE_MAPPING,
  activationEmails: false,
})

/** An organization with an application that imports from the lab. */
export async function connectPeople(app: App, lab: Pick<Lab, 'url'>, config: object = {}) {
  const org = await app.newOrganization()
  const { id } = await addApplication(org)
  const path = `/api/v2/applications/${id}/import`
  const body = { ...peopleConfig(lab.url), ...config }
  ok(await org.put(`${path}/config`, body))
  return { org, id, path, body, ...jobsOf(app, org, path) }
}

/** Starts and follows the jobs of one source. */
export function jobsOf(app: App, org: Org, path: string) {
  const start = async (more: object = {}) =>
    ok(await org.post(`${path}/jobs`, { operations: BOTH, ...more })).json()._id as string
  const job = async (jobId: string) => ok(await org.get(`${path}/jobs/${jobId}`)).json()
  const step = async (jobId: string, name: string) =>
    ok(await org.post(`${path}/jobs/${jobId}/${name}`)).json()
  const results = async (jobId: string, query = '') => {
    const all = []
    for (let skip = 0; ; skip += 100) {
      const page = ok(
        await org.get(`${path}/jobs/${jobId}/results?limit=100&skip=${skip}${query}`),
      ).json()
      all.push(...page)
      if (page.length < 100) return all
    }
  }
  return {
    start,
    job,
    step,
    results,
    /** Runs a job to its end. */
    async run(more: object = {}) {
      const jobId = await start(more)
      await app.runDueJobs()
      return job(jobId)
    },
    async undo(jobId: string) {
      const undoId = (await step(jobId, 'undo'))._id
      await app.runDueJobs()
      return job(undoId)
    },
  }
}

/** All users of the organization, by username. */
export async function usersOf(org: Org): Promise<Map<string, Record<string, unknown>>> {
  const users = new Map()
  for (let skip = 0; ; skip += 100) {
    const { results } = ok(
      await org.get(`/api/systemusers?limit=100&skip=${skip}&sort=username`),
    ).json()
    for (const user of results) users.set(user.username, user)
    if (results.length < 100) return users
  }
}
