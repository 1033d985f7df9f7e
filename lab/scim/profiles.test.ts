import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLab } from '../../test/scim-lab.ts'
import { PROFILES, type ProfileName } from './profiles.ts'

type Lab = Awaited<ReturnType<typeof startLab>>

const remove = (id: string) => ({ op: 'remove', path: `members[value eq "${id}"]` })
const add = (...ids: string[]) => ({
  op: 'add',
  path: 'members',
  value: ids.map((value) => ({ value })),
})
const replace = (...ids: string[]) => ({ ...add(...ids), op: 'replace' })
const setActive = (active: unknown) => ({ op: 'replace', path: 'active', value: active })
const filterBy = (filter: string) => `filter=${encodeURIComponent(filter)}`

const membersOf = ({ store }: Lab, id: string): string[] =>
  ((store.groups.get(id)?.members ?? []) as { value: string }[]).map(({ value }) => value)

/** The misbehaviour of each profile, as a client sees it. */
const shows: Record<ProfileName, (lab: Lab) => Promise<void>> = {
  async standard({ call, userBody }) {
    assert.equal((await call('POST', '/Users', userBody('ada'))).status, 201)
  },

  async aws(lab) {
    const { call, patch, addUser, addGroup, faults, groupBody, userBody } = lab
    faults.set({})
    const ids = Array.from({ length: 120 }, (_, at) => addUser(`user${at}`))
    const page = (await call('GET', '/Users?count=200')).json
    assert.deepEqual([page.itemsPerPage, page.totalResults], [50, 120])
    for (const filter of ['externalId eq "x"', 'userName sw "x"', 'userName ne "x"'])
      assert.equal((await call('GET', `/Users?${filterBy(filter)}`)).status, 400)
    assert.equal((await call('GET', `/Users?${filterBy('userName eq "user7"')}`)).status, 200)
    const emails = [{ value: 'a' }, { value: 'b' }]
    assert.equal((await call('POST', '/Users', userBody('two', { emails }))).status, 400)

    const id = addGroup('Engineers', ids[0]!)
    const group = `/Groups/${id}`
    assert.equal((await call('POST', '/Groups', groupBody('ENGINEERS'))).status, 409)
    assert.equal((await call('PUT', group, groupBody('Engineers'))).status, 405)
    assert.deepEqual((await call('GET', group)).json.members, [])
    assert.equal((await patch(group, replace(ids[1]!))).status, 400)
    assert.equal((await patch(group, { op: 'remove', path: 'members' })).status, 400)
    assert.equal((await patch(group, remove(ids[0]!))).status, 400)
    assert.equal((await patch(group, add(...ids.slice(0, 101)))).status, 400)
    assert.equal((await patch(group, add(...ids.slice(0, 100)))).status, 204)
    assert.equal((await patch(group, { ...add(ids[0]!), op: 'remove' })).status, 204)
    assert.equal(membersOf(lab, id).length, 99)
    const user = `/Users/${ids[0]}`
    const both = { op: 'replace', value: { title: 'x', active: false } }
    assert.equal((await patch(user, both)).status, 400)
    assert.equal((await patch(user, setActive(false))).status, 200)

    lab.use('aws')
    const answers = []
    for (let at = 0; at < 500; at++) answers.push(await call('GET', '/Users?count=0'))
    const refused = answers.map(({ status }) => (status === 429 ? 'x' : '.')).join('')
    assert.match(refused, /\.xxxxx\./)
    assert.equal(answers[refused.indexOf('x')]!.headers.get('retry-after'), '1')
  },

  async 'no-members-echo'(lab) {
    const [ada, grace] = [lab.addUser('ada'), lab.addUser('grace')]
    const id = lab.addGroup('Engineers', ada)
    const { status, json } = await lab.patch(`/Groups/${id}`, add(grace))
    assert.deepEqual([status, 'members' in json], [200, false])
    assert.equal('members' in (await lab.call('GET', `/Groups/${id}`)).json, false)
    assert.deepEqual(membersOf(lab, id), [ada, grace])
  },

  async strings({ call, patch, userBody, store }) {
    const { json } = await call('POST', '/Users', userBody('ada', { active: 'True' }))
    assert.equal(json.active, 'True')
    const path = `/Users/${json.id}`
    const answer = await patch(path, { ...setActive('False'), op: 'Replace' })
    assert.equal(answer.json.active, 'False')
    assert.equal(store.users.get(json.id)?.active, false)
    assert.equal((await patch(path, { op: 'replace', value: { active: 'true' } })).status, 200)
    assert.equal((await patch(path, setActive(true))).json.active, 'True')
  },

  async 'capital-ops'({ patch, addUser }) {
    const path = `/Users/${addUser('ada')}`
    assert.equal((await patch(path, setActive(false))).status, 400)
    assert.equal((await patch(path, { ...setActive(false), op: 'Replace' })).status, 200)
  },

  async 'okta-shape-only'({ patch, addUser }) {
    const path = `/Users/${addUser('ada')}`
    assert.equal((await patch(path, setActive(false))).status, 400)
    assert.equal((await patch(path, { op: 'add', value: { active: false } })).status, 400)
    const { json } = await patch(path, { op: 'replace', value: { active: false } })
    assert.equal(json.active, false)
  },

  async bare({ call, addUser, addGroup, userBody, groupBody }) {
    addUser('ada')
    addGroup('Engineers')
    assert.equal((await call('GET', '/ServiceProviderConfig')).status, 404)
    assert.equal((await call('GET', '/Nothing')).status, 500)
    assert.equal((await call('POST', '/Users', userBody('ADA'))).status, 422)
    assert.equal((await call('POST', '/Groups', groupBody('Engineers'))).status, 422)
  },

  async 'no-patch'({ call, patch, addUser }) {
    const config = (await call('GET', '/ServiceProviderConfig')).json
    assert.equal(config.patch.supported, false)
    assert.equal((await patch(`/Users/${addUser('ada')}`, setActive(false))).status, 501)
  },

  async 'put-members'(lab) {
    const { call, patch, addUser, groupBody } = lab
    const ada = addUser('ada')
    const { json } = await call('POST', '/Groups', groupBody('Engineers', ada))
    assert.equal('members' in json, false)
    const path = `/Groups/${json.id}`
    assert.equal((await patch(path, add(ada))).status, 200)
    const named = { op: 'replace', value: { displayName: 'Makers', members: [{ value: ada }] } }
    assert.equal((await patch(path, named)).json.displayName, 'Makers')
    assert.deepEqual(membersOf(lab, json.id), [])
    await call('PUT', path, groupBody('Engineers', ada))
    assert.deepEqual(membersOf(lab, json.id), [ada])
  },

  async 'merge-on-replace'(lab) {
    const [ada, grace] = [lab.addUser('ada'), lab.addUser('grace')]
    const id = lab.addGroup('Engineers', ada)
    await lab.patch(`/Groups/${id}`, replace(grace))
    assert.deepEqual(membersOf(lab, id), [ada, grace])
    assert.equal((await lab.call('DELETE', '/Users/absent')).status, 500)
  },

  async 'remove-on-inactive'({ call, patch, addUser, userBody }) {
    const ids = [addUser('ada'), addUser('grace')]
    assert.equal((await patch(`/Users/${ids[0]}`, setActive(false))).status, 200)
    await call('PUT', `/Users/${ids[1]}`, userBody('grace', { active: false }))
    for (const id of ids) assert.equal((await call('GET', `/Users/${id}`)).status, 404)
    assert.equal((await patch(`/Users/${ids[0]}`, setActive(true))).status, 404)
    assert.equal((await call('POST', '/Users', userBody('ada'))).status, 201)
  },

  async 'deletes-behind-your-back'({ call, userBody, store }) {
    for (let at = 0; at < 20; at++)
      assert.equal((await call('POST', '/Users', userBody(`user${at}`))).status, 201)
    const byHand = store.journal.filter(({ method }) => method === 'BY HAND')
    assert.deepEqual(
      byHand.map(({ note }) => note),
      ['deleted', 'changed title', 'deleted', 'changed title'],
    )
    assert.equal(store.users.size, 18)
  },

  async 'created-then-failed'({ call, userBody, store, patch }) {
    await assert.rejects(call('POST', '/Users', userBody('ada')))
    assert.deepEqual(
      store.journal.map(({ method, status, note }) => [method, status, note]),
      [['POST', 201, 'reply lost']],
    )
    assert.equal((await call('POST', '/Users', userBody('ada'))).status, 409)
    const [id] = store.users.keys()
    assert.equal((await patch(`/Users/${id}`, setActive(false))).status, 200)
  },

  async 'no-totals'({ call, addUser }) {
    addUser('ada')
    const { json } = await call('GET', '/Users')
    assert.deepEqual(Object.keys(json), ['schemas', 'Resources'])
  },

  async repeats({ call, addUser }) {
    const id = addUser('ada')
    const { Resources } = (await call('GET', '/Users')).json
    assert.deepEqual(
      Resources.map((resource: { id: string }) => resource.id),
      [id, id],
    )
  },

  async 'ignores-filters'({ call, addUser }) {
    addUser('ada')
    addUser('grace')
    const { json } = await call('GET', `/Users?${filterBy('userName eq "ada"')}`)
    assert.equal(json.totalResults, 2)
  },

  async 'odd-ids'(lab) {
    const { call, patch, userBody, groupBody } = lab
    const { json, headers } = await call('POST', '/Users', userBody('ada'))
    assert.match(json.id, /^a\/b c%2F "\d+" \?#&\+é漢$/)
    assert.equal((await call('GET', headers.get('location')!)).json.userName, 'ada')
    const created = await call('POST', '/Groups', groupBody('Engineers', json.id))
    const path = `/Groups/${encodeURIComponent(created.json.id)}`
    const selected = `members[value eq ${JSON.stringify(json.id)}]`
    assert.equal((await patch(path, { op: 'remove', path: selected })).status, 200)
    assert.deepEqual(membersOf(lab, created.json.id), [])
    assert.equal((await call('DELETE', `/Users/${encodeURIComponent(json.id)}`)).status, 204)
  },

  async 'no-id'({ call, userBody, store }) {
    const { status, json, headers } = await call('POST', '/Users', userBody('ada'))
    assert.deepEqual(
      [status, 'id' in json, 'meta' in json, headers.get('location')],
      [200, false, false, null],
    )
    assert.ok((await call('GET', `/Users/${[...store.users.keys()][0]}`)).json.id)
  },

  async html({ call, userBody }) {
    for (const [method, body] of [['GET'], ['POST', userBody('ada')]] as const) {
      const { status, type, text } = await call(method, '/Users', body)
      assert.deepEqual([status, type], [200, 'text/html; charset=utf-8'])
      assert.match(text, /^<!doctype html>/)
    }
  },

  async 'wrong-type'({ call, addUser }) {
    const { type, json } = await call('GET', `/Users/${addUser('ada')}`)
    assert.deepEqual([type, json.userName], ['text/plain; charset=utf-8', 'ada'])
  },

  async slow({ call, close }) {
    const slow = call('GET', '/Users').then(
      () => 'answered',
      () => 'cut',
    )
    const quick = await startLab()
    const first = await Promise.race([slow, quick.call('GET', '/Users').then(() => 'quick')])
    assert.equal(first, 'quick')
    // The end of the lab does not wait for the delay.
    await close()
    await slow
  },

  async oauth({ call, url, token, useToken }) {
    assert.equal((await call('GET', '/Users')).status, 401)
    const ask = async (fields: Record<string, string>, headers = {}) => {
      const body = new URLSearchParams(fields)
      const answer = await fetch(new URL('/oauth/token', url), { method: 'POST', headers, body })
      return { status: answer.status, json: await answer.json() }
    }
    const grant = { grant_type: 'client_credentials' }
    const form = { ...grant, client_id: 'lab' }
    assert.equal((await ask({ ...form, client_secret: 'wrong' })).status, 401)
    const other = { ...form, client_secret: token, grant_type: 'password' }
    assert.equal((await ask(other)).json.error, 'unsupported_grant_type')
    const inForm = await ask({ ...form, client_secret: token })
    assert.deepEqual([inForm.status, inForm.json.expires_in], [200, 30])
    const authorization = `Basic ${Buffer.from(`lab:${token}`).toString('base64')}`
    const inHeader = await ask(grant, { authorization })
    for (const { json } of [inForm, inHeader]) {
      useToken(json.access_token)
      assert.equal((await call('GET', '/Users')).status, 200)
    }
    clock += 30_000
    assert.equal((await call('GET', '/Users')).status, 401)
  },
}

let clock = Date.parse('2026-01-01')
for (const profile of Object.keys(PROFILES) as ProfileName[])
  test(`profile ${profile}: ${PROFILES[profile].about}`, async () => {
    await shows[profile](await startLab({ profile, now: () => clock }))
  })
