import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '../../server/platform/db/sql.ts'
import { tempDirectory } from '../database.ts'
import { enrol, newKeyPair, run } from '../enrol.ts'
import { startListening } from '../listening.ts'
import { addPerson } from '../person.ts'
import { startChromium } from './chromium.ts'
import { sidebar, signInToConsole, tab } from './console-steps.ts'
import { field, heading, press } from './steps.ts'

// Devices and commands in the console, with the real agent.

const app = await startListening()
const openBrowser = await startChromium(app.base)
/** An agent that is not root can only run commands as itself. */
const me = (await run('id', ['-un'])).stdout.trim()

/** Types into the editor, which is no form field. */
async function write(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Script' }).click()
  await page.keyboard.insertText(text)
}

test('a machine enrols by the line shown, and a command comes back from it live', async () => {
  const org = await app.newOrganization()
  await addPerson(org, { firstname: 'Ada', lastname: 'Berg' })
  const { page, problems } = await openBrowser()
  await page.goto(`/console/${org.organizationId}/devices`)
  await signInToConsole(page, org.email, org.password)
  await page.getByText('No devices yet').waitFor()
  await page.getByRole('button', { name: 'Enrol device' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Enrol device' })
  await dialog.getByText('Waiting for your machine').waitFor()
  const line = await dialog.getByText(/^curl /).textContent()
  const root = tempDirectory()
  const paste = (text: string) =>
    run('sh', ['-c', text.replace('sudo sh', 'sh')], { cwd: root, env: { GATEHOUSE_ROOT: root } })
  const refused = await paste(line!.replace(/key: \w+/, 'key: wrong'))
  assert.equal(refused.code, 22)
  assert.match(refused.stderr, /401/)
  const installed = await paste(line!)
  assert.equal(installed.code, 0, installed.stderr)
  await dialog.getByText(/enrolled/).waitFor()
  await dialog.getByRole('status').getByRole('link').click()
  await page.getByText('Online').waitFor()

  await tab(page, 'Users').click()
  await page.getByRole('combobox', { name: 'Let a user sign in' }).fill('ada')
  await page.getByRole('option', { name: /Ada Berg/ }).click()
  await page.getByRole('link', { name: 'Ada Berg' }).waitFor()
  await page.getByRole('combobox', { name: 'Rights of Ada Berg' }).click()
  await page.getByRole('option', { name: 'Administrator', exact: true }).click()
  await page.getByText('Changed the rights').waitFor()
  await press(page, 'Why Ada Berg?')
  await page.getByText(/^since/).waitFor()
  await page.keyboard.press('Escape')

  await sidebar(page).getByRole('link', { name: 'Commands' }).click()
  await page.getByText('No commands yet').waitFor()
  await page.getByRole('button', { name: 'Add command' }).first().click()
  const form = page.getByRole('dialog', { name: 'Add command' })
  await form.getByLabel('Name').fill('Measure')
  await write(page, 'echo "Size: $((6 * 7))"; exit 3')
  await form.getByRole('button', { name: 'Add command' }).click()
  await heading(page, 'Measure').waitFor()
  await page.getByRole('combobox', { name: 'Add a device' }).click()
  await page.getByRole('option').first().click()
  await page.getByRole('listitem').first().waitFor()
  await press(page, 'Run now')
  await page.getByText('0 of 1 device answered').waitFor()
  await page.getByText('Waiting for the device').waitFor()
  await app.db.tx(org.organizationId, (tx) =>
    tx.run(sql`update command_queue set run_as_name = ${me}`),
  )
  const agent = join(root, 'opt/gatehouse/agent.sh')
  const ran = await run('sh', [agent, 'run'], { env: { TMPDIR: root } })
  assert.equal(ran.code, 0, ran.stderr)
  await page.getByText('1 of 1 device answered · 1 failed').waitFor()
  await page.getByText('Size: 42').first().waitFor()
  await page.reload()
  await page.getByText('Size: 42').first().waitFor()

  await tab(page, 'Schedule').click()
  await page.getByLabel('Repeatedly').check()
  await press(page, 'Save schedule')
  await page.getByText('Every day at 04:00 UTC').waitFor()
  assert.deepEqual(problems, [])
})

test('one who may only read changes nothing on the pages of a device and a command', async () => {
  const org = await app.newOrganization()
  const { publicKey } = newKeyPair()
  const device = await enrol(app.http, org, publicKey, { hostname: 'web-1' })
  const body = { name: 'Uptime', command: '# how long\nuptime' }
  const { id: command } = (await org.post('/api/commands', body)).json()
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  const root = `${app.base}/console/${org.organizationId}`
  const pages = [
    `${root}/devices`,
    ...['', '/users', '/groups', '/commands', '/settings'].map(
      (each) => `${root}/devices/${device}${each}`,
    ),
    `${root}/commands`,
    `${root}/command-runs`,
    ...['', '/targets', '/schedule', '/results', '/history'].map(
      (each) => `${root}/commands/${command}${each}`,
    ),
  ]
  const other = await openBrowser()
  await other.page.goto(`${root}/devices/${device}/users`)
  await signInToConsole(other.page, reader.email, reader.password)
  await sidebar(other.page).waitFor()
  for (const address of pages) {
    await other.page.goto(address)
    await other.page.getByRole('heading', { level: 1 }).waitFor()
    await other.settled()
    const main = other.page.locator('main')
    const names = /^(Add|Save|Enrol|Delete|Run|Remove|Cancel|More actions)\b/
    const changing = main.getByRole('button', { name: names }).or(main.getByRole('combobox'))
    assert.deepEqual(
      await changing.evaluateAll((list) =>
        list.filter((one) => !(one as HTMLInputElement).readOnly).map((one) => one.outerHTML),
      ),
      [],
      address,
    )
  }
  assert.deepEqual(other.problems, [])
})

test('one who may only run commands sees them, runs one, and nothing is refused', async () => {
  const org = await app.newOrganization()
  const device = await enrol(app.http, org, newKeyPair().publicKey, { hostname: 'web-1' })
  const { id } = (await org.post('/api/commands', { name: 'Uptime', command: 'uptime' })).json()
  const target = { op: 'add', type: 'system', id: device }
  await org.post(`/api/v2/commands/${id}/associations`, target)
  const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
  const { page, problems, settled } = await openBrowser()
  await page.goto(`/console/${org.organizationId}`)
  await signInToConsole(page, runner.email, runner.password)
  await page.getByText('The pages that your role may see are at the left.').waitFor()
  const areas = sidebar(page).getByRole('link')
  assert.deepEqual(await areas.allTextContents(), ['Home', 'Commands'])
  await areas.last().click()
  await page.getByRole('link', { name: 'Uptime' }).click()
  await press(page, 'Run now')
  await page.getByText('0 of 1 device answered').waitFor()
  for (const name of ['Script', 'Schedule', 'History']) {
    await tab(page, name).click()
    await settled()
  }
  await page.getByText('Your role may not read events').waitFor()
  assert.deepEqual(problems, [])
})

test('a device has a primary user and attributes of its own', async () => {
  const org = await app.newOrganization()
  const ada = await addPerson(org, { firstname: 'Ada', lastname: 'Berg' })
  const device = await enrol(app.http, org, newKeyPair().publicKey, { hostname: 'web-1' })
  const url = `/api/systems/${device}`
  const { page, problems } = await openBrowser()
  await page.goto(`/console/${org.organizationId}/devices/${device}/settings`)
  await signInToConsole(page, org.email, org.password)
  const user = page.getByRole('combobox', { name: 'Primary user' })
  await user.fill('ada')
  await page.getByRole('option', { name: 'Ada Berg' }).click()
  for (const at of [1, 2]) {
    await press(page, 'Add attribute')
    await field(page, `Name of attribute ${at}`).fill('room')
    await field(page, `Value of attribute ${at}`).fill(`B${at}`)
  }
  await press(page, 'Save device')
  await page.getByText('the name "room" appears twice').waitFor()
  await field(page, 'Name of attribute 2').fill('rack')
  await press(page, 'Save device')
  await page.getByText('Saved the device').waitFor()
  const attributes = [
    { name: 'room', value: 'B1' },
    { name: 'rack', value: 'B2' },
  ]
  const saved = (await org.get(url)).json()
  assert.deepEqual([saved.primarySystemUser, saved.attributes], [{ id: ada.id }, attributes])

  await page.reload()
  await page.waitForFunction(() =>
    [...document.querySelectorAll('input')].some(({ value }) => value === 'Ada Berg'),
  )
  assert.equal(await field(page, 'Value of attribute 2').inputValue(), 'B2')
  await press(page, 'Remove attribute 1')
  await page.getByRole('button', { name: 'Clear primary user' }).click()
  await press(page, 'Save device')
  await page.getByText('Saved the device').waitFor()
  const cleared = (await org.get(url)).json()
  assert.deepEqual(
    [cleared.primarySystemUser, cleared.attributes],
    [{ id: null }, attributes.slice(1)],
  )
  assert.deepEqual(problems, [])
})

test('a command runs once on a chosen group, and waits there until it expires', async () => {
  const org = await app.newOrganization()
  await addPerson(org, { firstname: 'Ada', lastname: 'Berg' })
  const hosts = ['web-1', 'web-2']
  const [first, second] = await Promise.all(
    hosts.map((hostname) => enrol(app.http, org, newKeyPair().publicKey, { hostname })),
  )
  const group = (await org.post('/api/v2/systemgroups', { name: 'Web servers' })).json()
  const member = { op: 'add', type: 'system', id: first }
  await org.post(`/api/v2/systemgroups/${group.id}/members`, member)
  const body = { name: 'Uptime', command: 'uptime', listensTo: 'doors' }
  const { id } = (await org.post('/api/commands', body)).json()
  const root = `/console/${org.organizationId}`
  const { page, problems } = await openBrowser()
  await page.goto(`${root}/commands/${id}`)
  await signInToConsole(page, org.email, org.password)
  await page.getByRole('combobox', { name: 'Run as' }).fill('ada')
  await page.getByRole('option', { name: 'Ada Berg' }).click()
  await page.getByLabel('Use sudo').check()
  await field(page, 'Wait for devices, in seconds').fill('3600')
  await press(page, 'Save command')
  await page.getByText('Saved the command').waitFor()
  const saved = (await org.get(`/api/commands/${id}`)).json()
  assert.deepEqual([saved.timeToLiveSeconds, saved.sudo, saved.listensTo], [3600, true, 'doors'])
  await page.reload()
  assert.equal(await field(page, 'Wait for devices, in seconds').inputValue(), '3600')
  assert.ok(await page.getByLabel('Use sudo').isChecked())

  const runOn = async (label: string, option: RegExp) => {
    await press(page, 'More actions')
    await page.getByRole('menuitem', { name: 'Run on chosen devices' }).click()
    const dialog = page.getByRole('dialog', { name: 'Run on chosen devices' })
    await dialog.getByRole('combobox', { name: label }).click()
    await page.getByRole('option', { name: option }).click()
    await dialog.getByRole('listitem').waitFor()
    await dialog.getByRole('button', { name: 'Run command' }).click()
    await page.getByText('0 of 1 device answered').waitFor()
  }
  await runOn('Choose a group of devices', /Web servers/)
  const awaited = page.getByRole('list', { name: 'Devices of this run' })
  await awaited.getByRole('link', { name: 'web-1' }).waitFor()
  await runOn('Choose a device', /web-2/)
  await awaited.getByRole('link', { name: 'web-2' }).waitFor()
  const queued = await app.db.tx(org.organizationId, (tx) =>
    tx.many<{ system_id: string; run_as_name: string; seconds: number }>(
      sql`select system_id, run_as_name, extract(epoch from expires_at - request_time)::int as seconds
            from command_queue order by request_time`,
    ),
  )
  assert.deepEqual(
    queued.map((row) => [row.system_id, row.run_as_name, row.seconds]),
    [
      [first, 'root', 3600],
      [second, 'root', 3600],
    ],
  )

  await sidebar(page).getByRole('link', { name: 'Commands' }).click()
  await page.getByRole('link', { name: 'Waiting' }).click()
  const runs = page.getByRole('table', { name: 'Waiting runs' }).getByRole('row')
  await runs.nth(2).getByRole('link', { name: 'Uptime' }).waitFor()
  await runs.nth(1).getByRole('button', { name: 'Cancel the rest of Uptime' }).click()
  await page.getByText('Cancelled the rest of Uptime').waitFor()
  await runs.nth(2).waitFor({ state: 'detached' })
  await runs.nth(1).getByRole('link', { name: 'Uptime' }).click()
  await page.waitForURL(/results\?run=/)
  await awaited.getByRole('link', { name: 'web-1' }).waitFor()
  assert.deepEqual(problems, [])
})
