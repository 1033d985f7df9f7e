import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ForwardingWorker } from '../../server/forwarding/worker.ts'
import { createLog } from '../../server/platform/log.ts'
import { Allowlist } from '../../server/platform/outbound/allowlist.ts'
import { Outbound } from '../../server/platform/outbound/client.ts'
import { startListening } from '../listening.ts'
import { startReceiver } from '../receiver.ts'
import { startChromium } from './chromium.ts'
import { signInToConsole } from './console-steps.ts'
import { press } from './steps.ts'

// Webhooks in the console, with a real receiver.

const app = await startListening()
const openBrowser = await startChromium(app.base)
const outbound = new Outbound({ allowlist: new Allowlist(['127.0.0.1']) })
after(() => outbound.close())
const deliver = () =>
  new ForwardingWorker(
    { ...app.contexts.forwarding, searchDb: app.db, outbound, now: Date.now },
    createLog('silent'),
  ).runDue()

const TERM = { and: [{ event_type: 'group_create' }] }

test('a webhook is added, narrowed, renewed, and sends events again', async () => {
  const org = await app.newOrganization()
  const receiver = await startReceiver()
  const stored = async () =>
    (await org.get('/insights/directory/v1/forwarders')).json().results[0] as Record<
      string,
      unknown
    >
  const { page, problems } = await openBrowser({ viewport: { width: 1280, height: 1000 } })
  await page.goto(`/console/${org.organizationId}/settings/webhooks`)
  await signInToConsole(page, org.email, org.password)
  await press(page, 'Add webhook')
  const dialog = page.getByRole('dialog', { name: 'Add webhook' })
  await dialog.getByLabel('Name').fill('SIEM')
  await dialog.getByLabel('Address').fill(receiver.url)
  await dialog.getByRole('button', { name: 'Add webhook' }).click()
  const shown = dialog.getByText(/^whsec_/)
  const first = (await shown.textContent())!
  app.secrets.add(first)
  await press(page, 'I have kept it')
  await page.getByRole('heading', { name: 'SIEM', level: 2 }).waitFor()

  const query = page.getByLabel('Only events that match')
  await query.fill('event_type = ')
  await press(page, 'Save webhook')
  await page.getByText('Expected a value').waitFor()
  await query.fill('event_type = group_create')
  await page.getByRole('combobox', { name: 'Services' }).focus()
  await page.keyboard.press('ArrowDown')
  await page.getByRole('option', { name: 'directory', exact: true }).click()
  await page.keyboard.press('Escape')
  await press(page, 'Save webhook')
  await page.getByText('Saved the webhook').waitFor()
  const { service, search_term, batch_size } = await stored()
  assert.deepEqual(
    { service, search_term, batch_size },
    { service: ['directory'], search_term: TERM, batch_size: 500 },
  )

  await org.post('/api/v2/usergroups', { name: 'Engineering' })
  await deliver()
  assert.deepEqual(receiver.names(), ['group_create'])
  const deliveries = page.getByRole('table', { name: 'Deliveries' }).getByRole('row')
  await deliveries.filter({ hasText: '200' }).waitFor()
  await page.getByLabel(/^Since/).fill('2026-01-01T00:00')
  await press(page, 'Replay events')
  await page.getByText('Events are sent from that moment on').waitFor()
  await deliver()
  assert.deepEqual(receiver.names(), ['group_create', 'group_create'])

  await press(page, 'New secret')
  const second = (await page
    .getByRole('dialog', { name: 'New secret' })
    .getByText(/^whsec_/)
    .textContent())!
  app.secrets.add(second)
  assert.notEqual(second, first)
  await press(page, 'I have kept it')
  await press(page, 'Pause webhook')
  await page.getByRole('button', { name: 'Resume webhook' }).waitFor()
  assert.deepEqual((await stored()).search_term, TERM)
  assert.deepEqual(problems, [])
})
