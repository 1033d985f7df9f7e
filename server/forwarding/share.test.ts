import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { startReceiver } from '../../test/receiver.ts'

const app = await startApp({
  env: {
    GATEHOUSE_TENANT_LIMITS: 'forwarding=1',
    GATEHOUSE_PROCESS_LIMITS: 'forwarding=2',
  },
})

async function addForwarders(count: number, url: string) {
  const org = await app.newOrganization()
  for (let at = 0; at < count; at++) {
    const body = { name: `SIEM ${at}`, url, service: ['notifications'] }
    const made = await org.post('/insights/directory/v1/forwarders', body)
    assert.equal(made.statusCode, 201, made.body)
    app.secrets.add(made.json().secret)
  }
  const timestamp = new Date().toISOString()
  const event = { service: 'notifications', event_type: 'sample', timestamp }
  const stored = await org.post('/insights/directory/v1/ingest', [event])
  assert.equal(stored.json().stored, 1, stored.body)
}

test('receivers that do not respond delay only the forwarders of their own organization', async () => {
  const [slow, quick] = [await startReceiver(), await startReceiver()]
  const held: ServerResponse[] = []
  const stuck = new Promise<void>((resolve) => {
    slow.answerWith((_, response) => {
      held.push(response)
      resolve()
    })
  })
  const arrived = new Promise<void>((resolve) => {
    quick.answerWith((_, response) => {
      response.end()
      resolve()
    })
  })
  await addForwarders(3, slow.url)
  await addForwarders(1, quick.url)
  app.forwarding.work()
  try {
    await Promise.all([stuck, arrived])
    assert.equal(slow.received.length, 1, 'one at a time, so a slot was free')
    const rest = new Promise<void>((resolve) => {
      slow.answerWith((_, response) => {
        response.end()
        if (slow.received.length === 3) resolve()
      })
    })
    for (const response of held) response.end()
    await rest
  } finally {
    await app.forwarding.stop()
  }
})
