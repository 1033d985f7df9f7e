import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startListening } from '../listening.ts'
import { addPerson, PASSWORD, Person } from '../person.ts'
import { startChromium } from './chromium.ts'
import { signInToConsole } from './console-steps.ts'
import { heading, press } from './steps.ts'

// The profile of a user in the console: every field, and the password.

const app = await startListening()
const openBrowser = await startChromium(app.base)
app.secrets.add(PASSWORD)

test('every kind of field of a profile is saved, and nothing else is touched', async () => {
  const org = await app.newOrganization()
  const boss = await addPerson(org, { firstname: 'Vera', lastname: 'Boss' })
  const ada = await addPerson(org, {
    firstname: 'Ada',
    lastname: 'Adams',
    attributes: [{ name: 'badge', value: '7' }],
    phoneNumbers: [{ type: 'work', number: '+1 555 0100' }],
  })
  const { page, problems } = await openBrowser({ viewport: { width: 1280, height: 900 } })
  const address = `/console/${org.organizationId}/users/${ada.id}`
  await page.goto(address)
  await signInToConsole(page, org.email, org.password)
  await heading(page, 'Ada Adams').waitFor()
  await page.getByLabel('Recovery e-mail').fill('ada@home.example')
  await page.getByRole('combobox', { name: 'Manager' }).fill('vera')
  await page.getByRole('option', { name: /Vera Boss/ }).click()
  await press(page, 'Add phone number')
  await page.getByLabel('Kind of phone number 2').fill('mobile')
  await page.getByLabel('Number of phone number 2').fill('+1 555 0199')
  await press(page, 'Add address')
  await page.getByLabel('Street of address 1').fill('1 Main Street')
  await page.getByLabel('City of address 1').fill('Utrecht')
  await page.getByLabel('Require a second factor').check()
  await page.getByLabel(/^Required from/).fill('2030-01-02T03:04')
  await page.getByLabel('Administrator on all devices').check()
  await page.getByLabel('Unix user id').fill('5001')
  await press(page, 'Add relationship')
  await page.getByLabel('Kind of relationship 1').fill('assistant')
  await page.getByLabel('Person of relationship 1').fill('Kim')
  await press(page, 'Remove attribute 1')
  await org.put(`/api/systemusers/${ada.id}`, { jobTitle: 'Engineer' })
  await press(page, 'Save profile')
  await page.getByText('Saved the profile').waitFor()

  const user = (await org.get(`/api/systemusers/${ada.id}`)).json()
  const { firstname, jobTitle, manager, sudo, unix_uid, attributes } = user
  assert.deepEqual([firstname, jobTitle, manager], ['Ada', 'Engineer', boss.id])
  assert.deepEqual([sudo, unix_uid, attributes], [true, 5001, []])
  assert.equal(user.enable_user_portal_multifactor, true)
  assert.equal(user.mfa.exclusion, true)
  assert.equal(new Date(user.mfa.exclusionUntil).getFullYear(), 2030)
  assert.equal(user.recoveryEmail.address, 'ada@home.example')
  assert.deepEqual(
    user.phoneNumbers.map(({ type, number }: Record<string, string>) => [type, number]),
    [
      ['work', '+1 555 0100'],
      ['mobile', '+1 555 0199'],
    ],
  )
  assert.equal(user.addresses[0].locality, 'Utrecht')
  assert.deepEqual(user.relationships, [{ type: 'assistant', value: 'Kim' }])

  await page.reload()
  await page.getByRole('link', { name: 'Vera Boss' }).waitFor()
  assert.equal(await page.getByLabel('City of address 1').inputValue(), 'Utrecht')
  assert.match(await page.getByLabel(/^Required from/).inputValue(), /^2030-01-02T03:04/)
  await press(page, 'Remove the manager')
  await page.getByLabel(/^Required from/).fill('')
  await page.getByLabel('Unix user id').fill('')
  await page.getByLabel('E-mail', { exact: true }).fill(boss.email)
  await press(page, 'Save profile')
  await page.getByText('already', { exact: false }).waitFor()
  await page.getByLabel('E-mail', { exact: true }).fill(ada.email)
  await press(page, 'Save profile')
  await page.getByText('Saved the profile').first().waitFor()
  const after = (await org.get(`/api/systemusers/${ada.id}`)).json()
  assert.deepEqual([after.manager, after.mfa.exclusion], [null, false])
  assert.equal(after.firstname, 'Ada')
  assert.deepEqual(problems, [])
})

test('a field that another directory owns is read only until that is lifted', async () => {
  const org = await app.newOrganization()
  const ada = await addPerson(org, {
    firstname: 'Ada',
    lastname: 'Adams',
    restrictedFields: [{ field: 'department', type: 'scim' }],
  })
  const { page, problems } = await openBrowser({ viewport: { width: 1280, height: 900 } })
  await page.goto(`/console/${org.organizationId}/users/${ada.id}`)
  await signInToConsole(page, org.email, org.password)
  const department = page.getByLabel('Department', { exact: true })
  await page.getByText('Managed by scim').waitFor()
  assert.equal(await department.isEditable(), false)
  await page.getByRole('combobox', { name: 'Fields that are changed only there' }).focus()
  await page.keyboard.press('Backspace')
  await department.fill('Sales')
  await press(page, 'Save profile')
  await page.getByText('Saved the profile').waitFor()
  const user = (await org.get(`/api/systemusers/${ada.id}`)).json()
  assert.deepEqual([user.department, user.restrictedFields], ['Sales', []])
  assert.deepEqual(problems, [])
})

test('what the API refuses is told at the field, which comes into view', async () => {
  const org = await app.newOrganization()
  const vera = await addPerson(org, { firstname: 'Vera', lastname: 'Boss' })
  const ada = await addPerson(org, {
    firstname: 'Ada',
    lastname: 'Adams',
    attributes: [{ name: 'badge', value: '7' }],
  })
  const { page, problems } = await openBrowser({ viewport: { width: 1280, height: 900 } })
  await page.goto(`/console/${org.organizationId}/users/${ada.id}`)
  await signInToConsole(page, org.email, org.password)
  await press(page, 'Add attribute')
  await page.getByLabel('Name of attribute 2').fill('badge')
  await press(page, 'Save profile')
  await page.getByText('the name "badge" appears more than once').waitFor()
  await press(page, 'Remove attribute 2')

  const username = page.getByLabel('Username', { exact: true })
  await username.fill(vera.username)
  await press(page, 'Save profile')
  await page.locator('input[aria-invalid=true]:focus').waitFor()
  assert.equal(await username.evaluate((input) => input === document.activeElement), true)
  const { y } = (await username.boundingBox())!
  assert.ok(y > 0 && y < 900, `in view, not at ${y}`)
  assert.deepEqual(problems, [])
})

test('a password is set by its rules, or a link is mailed', async () => {
  const org = await app.newOrganization()
  const ada = await addPerson(org, { firstname: 'Ada', lastname: 'Adams' })
  const { page, problems } = await openBrowser()
  await page.goto(`/console/${org.organizationId}/users/${ada.id}`)
  await signInToConsole(page, org.email, org.password)
  const choose = async (name: string) => {
    await press(page, /^More/)
    await page.getByRole('menuitem', { name }).click()
  }
  await choose('Set password')
  const dialog = page.getByRole('dialog', { name: 'Set the password of Ada Adams' })
  const password = dialog.getByLabel('New password')
  await password.fill('short')
  await dialog.getByRole('button', { name: 'Set password' }).click()
  await dialog.getByText('at least 12 characters', { exact: false }).waitFor()
  const chosen = 'Quiet-Harbour-2026'
  app.secrets.add(chosen)
  await password.fill(chosen)
  await dialog.getByRole('button', { name: 'Set password' }).click()
  await page.getByText('Set the password of Ada Adams').first().waitFor()
  await dialog.waitFor({ state: 'detached' })
  await new Person(app.http).enter(ada.username, chosen)
  await choose('Mail a link for a new password')
  await page.getByText('Mailed Ada Adams a link').waitFor()
  assert.deepEqual(problems, [])
})
