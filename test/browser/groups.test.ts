import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { enrol, newKeyPair } from '../enrol.ts'
import { startListening } from '../listening.ts'
import { addPerson, PASSWORD } from '../person.ts'
import { startChromium } from './chromium.ts'
import { signInToConsole, tab } from './console-steps.ts'
import { field, heading, press } from './steps.ts'

// Groups whose members a rule decides about, of users and of devices.

const app = await startListening()
const openBrowser = await startChromium(app.base)
app.secrets.add(PASSWORD)

async function choose(page: Page, label: string, option: string | RegExp): Promise<void> {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option, exact: typeof option === 'string' }).click()
}

test('a rule is written with a live preview; its suggestions are accepted and rejected', async () => {
  const org = await app.newOrganization()
  for (const [firstname, department] of [
    ['Ada', 'Sales'],
    ['Ben', 'Sales'],
    ['Cleo', 'Support'],
  ])
    await addPerson(org, { firstname, lastname: 'Berg', department })
  const { page, problems } = await openBrowser({ viewport: { width: 1440, height: 900 } })
  await page.goto(`/console/${org.organizationId}/groups?new=1`)
  await signInToConsole(page, org.email, org.password)
  const dialog = page.getByRole('dialog', { name: 'Add group' })
  await dialog.getByLabel('Name').fill('Sellers')
  await choose(page, 'Members are chosen', 'By rule, after review')
  await dialog.getByRole('button', { name: 'Add group' }).click()
  await heading(page, 'Sellers').waitFor()

  const refused: string[] = []
  page.on('response', (answer) => {
    if (answer.status() >= 400) refused.push(answer.url())
  })
  const preview = page.getByRole('region', { name: 'Preview' })
  await preview.getByText('Add a condition').waitFor()
  await press(page, 'Add condition')
  await choose(page, 'Field of condition 1', 'Department')
  await field(page, 'Value of condition 1').fill('Support')
  await preview.getByText('1 user matches').waitFor()
  await preview.getByRole('link', { name: 'Cleo Berg' }).waitFor()
  await choose(page, 'Comparison of condition 1', 'is not')
  await preview.getByText('2 users match').waitFor()
  await preview.getByText('2 would join').waitFor()
  assert.deepEqual(refused, [])
  await press(page, 'Save membership')
  const notice = await page.getByRole('alert').last().boundingBox()
  const title = await heading(page, 'Sellers').boundingBox()
  assert.ok(notice!.x + notice!.width <= title!.x, 'the notice covers nothing of the page')
  await page.getByText('Saved how members are chosen').waitFor()
  await app.runDueJobs()

  await tab(page, 'Suggestions').click()
  await page.getByRole('button', { name: 'Accept Ada Berg' }).waitFor()
  await press(page, 'Reject Ben Berg')
  await page.getByText('Exempted Ben Berg from the rule').waitFor()
  await app.runDueJobs()
  await page.getByRole('button', { name: 'Accept Ben Berg' }).waitFor({ state: 'detached' })
  await press(page, 'Accept Ada Berg')
  await page.getByText('No suggestions', { exact: false }).waitFor()
  await tab(page, 'Members').click()
  await page.getByRole('link', { name: 'Ada Berg' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Ben Berg' }).count(), 0)

  // From now on the rule decides by itself, and who is exempt is added by hand.
  await tab(page, 'Membership').click()
  await page.getByRole('radio', { name: 'By rule', exact: true }).check()
  await press(page, 'Save membership')
  await page.getByRole('link', { name: 'Suggestions' }).waitFor({ state: 'detached' })
  await tab(page, 'Members').click()
  await choose(page, 'Add an exempt user', 'Ben Berg')
  await page.getByRole('link', { name: 'Ben Berg' }).waitFor()

  // What was saved is what discarding goes back to.
  await tab(page, 'Settings').click()
  await field(page, 'Description').fill('People who sell')
  await press(page, 'Save group')
  await page.getByText('Saved the group').waitFor()
  await field(page, 'Description').fill('Nobody')
  await press(page, 'Discard changes')
  assert.equal(await field(page, 'Description').inputValue(), 'People who sell')
  assert.deepEqual(problems, [])
})

test('devices join a group by rule, and the group lets people sign in to them', async () => {
  const org = await app.newOrganization()
  await addPerson(org, { firstname: 'Ada', lastname: 'Berg' })
  await enrol(app.http, org, newKeyPair().publicKey)
  const { page, problems } = await openBrowser({ viewport: { width: 1440, height: 900 } })
  await page.goto(`/console/${org.organizationId}/groups`)
  await signInToConsole(page, org.email, org.password)
  await page.getByRole('link', { name: 'Device groups' }).click()
  await page.getByText('No device groups yet').waitFor()
  await page.getByRole('button', { name: 'Add group' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Add group' })
  await dialog.getByLabel('Name').fill('Linux')
  await choose(page, 'Members are chosen', 'By rule')
  await dialog.getByRole('button', { name: 'Add group' }).click()
  await heading(page, 'Linux').waitFor()
  await press(page, 'Add condition')
  await choose(page, 'Field of condition 1', 'Kind of system')
  await choose(page, 'Value of condition 1', 'Linux')
  await page.getByText('1 device matches').waitFor()
  await press(page, 'Save membership')
  await page.getByText('Saved how members are chosen').waitFor()
  await app.runDueJobs()

  await tab(page, 'Users').click()
  await page.getByRole('combobox', { name: 'Let a user sign in' }).fill('ada')
  await page.getByRole('option', { name: /Ada Berg/ }).click()
  await choose(page, 'Rights of Ada Berg', 'Administrator')
  await page.getByText('Changed the rights').waitFor()
  await tab(page, 'Commands').click()
  await page.getByText('None. Commands', { exact: false }).waitFor()
  await tab(page, 'Members').click()
  await page.getByText('The rule decides who is a member', { exact: false }).waitFor()
  await page.getByRole('main').locator('a[href*="/devices/"]').click()
  await tab(page, 'Facts').waitFor()
  await tab(page, 'Users').click()
  await page.getByRole('link', { name: 'Ada Berg' }).waitFor()
  await tab(page, 'Groups').click()
  await page.getByRole('link', { name: 'Linux' }).waitFor()
  await page.getByText('By rule').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Remove from Linux' }).count(), 0)
  assert.deepEqual(problems, [])
})

test('what members of a group have on devices and in other directories', async () => {
  const org = await app.newOrganization()
  const cost = { team: 'Plant 4' }
  const attributes = { cost, radius: { vlan: 7 } }
  const group = (await org.post('/api/v2/usergroups', { name: 'Operators', attributes })).json()
  const url = `/api/v2/usergroups/${group.id}`
  const address = `/console/${org.organizationId}/groups/${group.id}/settings`
  const { page, problems } = await openBrowser({ viewport: { width: 1440, height: 1200 } })
  await page.goto(address)
  await signInToConsole(page, org.email, org.password)
  await choose(page, 'Members are', 'Administrator')
  await press(page, 'Add POSIX group')
  await field(page, 'Name of POSIX group 1').fill('operators')
  await press(page, 'Save group')
  await page.getByText('Each needs a name and a whole number').waitFor()
  await field(page, 'Id of POSIX group 1').fill('5100')
  await page.getByRole('combobox', { name: 'LDAP groups' }).fill('ops')
  await page.keyboard.press('Enter')
  await page.getByLabel('Available to Samba').check()
  await press(page, 'Add reply attribute')
  await field(page, 'Name of reply attribute 1').fill('Tunnel-Type')
  await field(page, 'Value of reply attribute 1').fill('VLAN')
  // Another client sets attributes of its own meanwhile.
  const shift = { from: 6 }
  await org.put(url, { name: 'Operators', attributes: { ...group.attributes, shift } })
  await press(page, 'Save group')
  await page.getByText('Saved the group').waitFor()
  await page.getByText('They never change', { exact: false }).waitFor()
  const stored = {
    cost,
    shift,
    sudo: { enabled: true, withoutPassword: false },
    posixGroups: [{ id: 5100, name: 'operators' }],
    ldapGroups: [{ name: 'Operators' }, { name: 'ops' }],
    sambaEnabled: true,
    radius: { vlan: 7, reply: [{ name: 'Tunnel-Type', value: 'VLAN' }] },
  }
  assert.deepEqual((await org.get(url)).json().attributes, stored)

  await page.reload()
  assert.equal(await field(page, 'Id of POSIX group 1').inputValue(), '5100')
  assert.equal(await field(page, 'Id of POSIX group 1').getAttribute('readonly'), '')
  assert.equal(await field(page, 'Value of reply attribute 1').inputValue(), 'VLAN')
  assert.equal(
    await page.getByRole('combobox', { name: 'Members are' }).inputValue(),
    'Administrator',
  )
  assert.ok(await page.getByLabel('Available to Samba').isChecked())
  await page.getByText('ops', { exact: true }).waitFor()
  // A change of the name is a change of the name only.
  await field(page, 'Name').fill('Operations')
  await press(page, 'Save group')
  await heading(page, 'Operations').waitFor()
  await page.getByText('Saved the group').waitFor()
  assert.deepEqual((await org.get(url)).json().attributes, stored)

  const devices = (
    await org.post('/api/v2/systemgroups', { name: 'Screens', attributes: { cost } })
  ).json()
  await page.goto(`/console/${org.organizationId}/device-groups/${devices.id}/settings`)
  await field(page, 'Description').fill('In the hall')
  assert.equal(await page.getByText('POSIX').count(), 0)
  await press(page, 'Save group')
  await page.getByText('Saved the group').waitFor()
  const saved = (await org.get(`/api/v2/systemgroups/${devices.id}`)).json()
  assert.deepEqual([saved.description, saved.attributes], ['In the hall', { cost }])
  assert.deepEqual(problems, [])
})

test('a rule leaves people alone, and administrators hear about suggestions', async () => {
  const org = await app.newOrganization()
  const ben = await addPerson(org, { firstname: 'Ben', lastname: 'Berg', department: 'Sales' })
  const group = (
    await org.post('/api/v2/usergroups', {
      name: 'Sellers',
      membershipMethod: 'DYNAMIC_REVIEW_REQUIRED',
      memberQuery: {
        queryType: 'FilterQuery',
        filters: [{ field: 'department', operator: 'eq', value: 'Sales' }],
      },
    })
  ).json()
  const { page, problems } = await openBrowser({ viewport: { width: 1440, height: 900 } })
  await page.goto(`/console/${org.organizationId}/groups/${group.id}/membership`)
  await signInToConsole(page, org.email, org.password)
  await page.getByRole('combobox', { name: 'Exempt a user' }).fill('ben')
  await page.getByRole('option', { name: /Ben Berg/ }).click()
  await page.getByLabel('Mail administrators about new suggestions').check()
  await press(page, 'Save membership')
  await page.getByText('Saved how members are chosen').waitFor()
  const saved = (await org.get(`/api/v2/usergroups/${group.id}`)).json()
  assert.equal(saved.memberSuggestionsNotify, true)
  assert.deepEqual(
    saved.memberQueryExemptions.map(({ id }: { id: string }) => id),
    [ben.id],
  )
  await page.reload()
  await page.getByRole('button', { name: 'Remove Ben Berg' }).waitFor()
  assert.ok(await page.getByLabel('Mail administrators about new suggestions').isChecked())
  assert.deepEqual(problems, [])
})
