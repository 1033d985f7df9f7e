import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { test } from 'node:test'
import { startListening } from '../listening.ts'
import { addPerson, PASSWORD } from '../person.ts'
import { connect } from './connect.ts'
import { USER_AGENT } from './service-provider.ts'
import { Surfer } from './surfer.ts'
import { bind, type Org } from './world.ts'

// Certificates rotate while users sign in continuously. The service provider trusts only the certificates of the
// metadata it read last.

const app = await startListening()
app.secrets.add(PASSWORD)

/** Users with a message in flight during a change. */
const CROSSING = ['SAMLRequest', 'SAMLResponse', 'SAMLRequest', 'SAMLResponse']
/** Users who never wait. */
const RUNNING = 2

/** Holds back one message of each given kind until it is opened. */
class Gate {
  readonly #news = new EventEmitter()
  #held = new Set<number>()
  #closed = false

  async pass(person: number, fields: Record<string, string>): Promise<void> {
    const kind = CROSSING[person]
    if (!this.#closed || kind === undefined || fields[kind] === undefined) return
    this.#held.add(person)
    this.#news.emit('held')
    await once(this.#news, 'opened')
  }

  async close(): Promise<void> {
    this.#held.clear()
    this.#closed = true
    while (this.#held.size < CROSSING.length) await once(this.#news, 'held')
  }

  open(): void {
    this.#closed = false
    this.#news.emit('opened')
  }
}

async function newSurfer(org: Org, applicationId: string): Promise<Surfer> {
  const user = await addPerson(org)
  await bind(org, applicationId, 'user', user.id)
  return new Surfer({ identifier: user.email, password: PASSWORD })
}

const signerOf = ({ forms }: Surfer): string => {
  const sent = Buffer.from(forms.at(-1)!.fields.SAMLResponse!, 'base64').toString()
  return /<ds:X509Certificate>([^<]*)</.exec(sent)![1]!
}

for (const reads of ['once a certificate was prepared', 'without pause'] as const)
  test(`a service provider that reads metadata ${reads} loses no sign-in to a rotation`, async () => {
    const org = await app.newOrganization()
    const { sp, application, readMetadata } = await connect(app.base, org, { binding: 'HTTP-POST' })
    const surfers = await Promise.all(
      Array.from({ length: CROSSING.length + RUNNING }, () => newSurfer(org, application.id)),
    )
    const gate = new Gate()
    const news = new EventEmitter()
    const signers = new Set<string>()
    let changes = 0
    let over = false
    /** Number of changes before the start of each user's last sign-in, and of the last metadata read. */
    const begun = surfers.map(() => -1)
    let readAfter = 0
    /** Number of sign-ins in flight at each change. */
    const crossed: number[] = []

    const until = async (condition: () => boolean) => {
      while (!condition()) await once(news, 'progress')
    }
    async function keepSigningIn(surfer: Surfer, person: number): Promise<void> {
      surfer.meddle = ({ fields }) => gate.pass(person, fields)
      while (!over) {
        const before = changes
        const { status, body } = await surfer.open(`${sp.origin}/login`)
        assert.equal(status, 200, `after ${changes} changes: ${body}`)
        signers.add(signerOf(surfer))
        if (before < changes) crossed[before] = (crossed[before] ?? 0) + 1
        begun[person] = before
        news.emit('progress')
      }
    }
    async function read(): Promise<void> {
      const before = changes
      await readMetadata()
      readAfter = before
      news.emit('progress')
    }
    async function keepReading(): Promise<void> {
      while (!over) await read()
    }

    const certificates = `/api/v2/applications/${application.id}/certificates`
    async function change(path: string): Promise<void> {
      await until(() => begun.every((after) => after === changes))
      await gate.close()
      const res = await org.post(`${certificates}${path}`, {})
      assert.ok([200, 201].includes(res.statusCode), res.body)
      changes++
      gate.open()
    }
    /** Waits, as an administrator would, until the service provider has read the next certificate. */
    async function prepare(): Promise<void> {
      await change('')
      if (reads === 'without pause') await until(() => readAfter === changes)
      else await read()
      const all: { role: string; fetchedBy: { userAgent: string }[] }[] = (
        await org.get(certificates)
      ).json()
      const next = all.find(({ role }) => role === 'next')
      assert.deepEqual(
        next?.fetchedBy.map(({ userAgent }) => userAgent),
        [USER_AGENT],
      )
    }
    async function rotate(): Promise<void> {
      await prepare()
      await change('/promote')
      await change('/return')
      // And back: the new one signs again.
      await change('/return')
      await prepare()
      await change('/promote')
      await until(() => begun.every((after) => after === changes))
    }

    const busy = surfers.map(keepSigningIn)
    if (reads === 'without pause') busy.push(keepReading())
    // Any failure ends the test; otherwise users run until the rotation is done.
    await Promise.race([rotate(), ...busy])
    over = true
    await Promise.all(busy)

    assert.equal(crossed.length, 6)
    assert.ok(
      crossed.every((count) => count >= CROSSING.length),
      `${crossed}`,
    )
    assert.equal(signers.size, 3, 'every certificate has signed')
    const attempts = (await org.events()).filter(({ event_type }) => event_type === 'sso_auth')
    assert.ok(attempts.every(({ success }) => success === true))
  })
