import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startListening } from '../listening.ts'
import { addPerson } from '../person.ts'
import { startChromium } from './chromium.ts'
import { sidebar, signInToConsole, tab } from './console-steps.ts'
import { field, heading, press } from './steps.ts'

// Administrators, roles, keys and settings in the console.

const app = await startListening()
const openBrowser = await startChromium(app.base)

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

test('a key narrowed to users is shown once, and refused where it may not', async () => {
  const org = await app.newOrganization()
  const { page, problems } = await openBrowser()
  await page.goto(`/console/${org.organizationId}/api-keys`)
  await signInToConsole(page, org.email, org.password)
  await heading(page, 'API keys').waitFor()
  await press(page, 'Replace key')
  const dialog = page.getByRole('dialog', { name: 'Replace your API key' })
  await dialog.getByLabel('Only what you choose').check()
  await dialog.getByRole('group', { name: 'Users' }).getByLabel('Read', { exact: true }).check()
  await dialog.getByRole('button', { name: 'Replace key' }).click()
  await dialog.getByText('is shown only now').waitFor()
  const key = (await dialog.getByText(/^gh_/).textContent())!
  app.secrets.add(key)
  await dialog.getByRole('button', { name: 'I have kept it' }).click()
  await page.getByRole('cell', { name: 'users.readonly' }).waitFor()
  const { get, post } = app.as(key)
  assert.equal((await get('/api/systemusers')).statusCode, 200)
  assert.equal((await get('/api/systems')).statusCode, 403)
  assert.equal((await post('/api/systemusers', {})).statusCode, 403)
  await page.getByRole('button', { name: /^Revoke the key of/ }).click()
  await page.getByText('None.', { exact: true }).waitFor()
  assert.equal((await get('/api/systemusers')).statusCode, 401)
  assert.deepEqual(problems, [])
})

test('a provider’s own key reaches all organizations; one for a single organization is a service account', async () => {
  const provider = await app.newProvider()
  const [one, two] = provider.organizationIds
  const { page, problems } = await openBrowser()
  await page.goto(`/console/${one}/api-keys?new=1`)
  await signInToConsole(page, provider.email, provider.password)
  await page.getByText('It reaches every organization that you reach').waitFor()
  await page.getByRole('link', { name: 'service account', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Add service account' })
  await dialog.getByLabel('Name').fill('Nightly export')
  await dialog.getByRole('button', { name: 'Add service account' }).click()
  await dialog.getByText('is shown only now').waitFor()
  const key = (await dialog.getByText(/^gh_/).textContent())!
  app.secrets.add(key)
  const { get, post } = app.as(key)
  const organizations = (await get('/api/organizations')).json().results
  assert.deepEqual(
    organizations.map(({ id }: { id: string }) => id),
    [one],
  )
  assert.equal((await get('/api/systemusers', { 'x-org-id': two! })).statusCode, 404)
  assert.equal((await post('/api/systemusers', {})).statusCode, 403)
  assert.deepEqual(problems, [])
})

test('invite somebody, give a role of its own, change the e-mail after the password, suspend', async () => {
  const org = await app.newOrganization()
  const { page, problems } = await openBrowser()
  await page.goto(`/console/${org.organizationId}/roles`)
  await signInToConsole(page, org.email, org.password)
  await page.getByRole('columnheader', { name: 'Help Desk' }).waitFor()
  await press(page, 'Add role')
  const form = page.getByRole('dialog', { name: 'Add role' })
  await form.getByLabel('Name').fill('Auditor')
  await form.getByRole('button', { name: 'Add role' }).click()
  await heading(page, 'Auditor').waitFor()
  await page.getByRole('group', { name: 'Insights' }).getByLabel('Read and change').check()
  await press(page, 'Save role')
  await page.getByText('Saved the role').waitFor()

  await sidebar(page).getByRole('link', { name: 'Administrators' }).click()
  await press(page, 'Invite administrator')
  const invite = page.getByRole('dialog', { name: 'Invite administrator' })
  await invite.getByLabel('E-mail').fill('ada@auditors.example')
  await invite.getByRole('combobox', { name: 'Role' }).click()
  await page.getByRole('option', { name: 'Auditor' }).click()
  await invite.getByRole('button', { name: 'Invite administrator' }).click()
  await heading(page, 'ada@auditors.example').waitFor()
  await page.getByText('Invited', { exact: true }).waitFor()
  await field(page, 'E-mail').fill('ada@audit.example')
  await press(page, 'Save administrator')
  const confirm = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await confirm.getByLabel('Your password').fill(org.password)
  await confirm.getByRole('button', { name: 'Confirm' }).click()
  await heading(page, 'ada@audit.example').waitFor()
  await press(page, 'Suspend administrator')
  await page.getByText('Suspended', { exact: true }).waitFor()
  await tab(page, 'History').click()
  await page.getByRole('list', { name: 'Events' }).waitFor()
  assert.deepEqual(problems, [])
})

test('settings are saved; one who may only read changes nothing', async () => {
  const org = await app.newOrganization()
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  const { page, problems } = await openBrowser({ viewport: { width: 1280, height: 900 } })
  const root = `${app.base}/console/${org.organizationId}`
  await page.goto(`${root}/settings/security`)
  await signInToConsole(page, org.email, org.password)
  await page.getByLabel('Characters at least').fill('16')
  await press(page, 'Save settings')
  await page.getByText('Saved the settings').waitFor()
  const { settings } = (await org.get(`/api/organizations/${org.organizationId}`)).json()
  assert.equal(settings.passwordPolicy.minLength, 16)
  await page.goto(`${root}/settings/general`)
  await page.getByRole('combobox', { name: 'Fields that are changed only there' }).click()
  await page.getByRole('option', { name: 'Job title' }).click()
  await page.keyboard.press('Escape')
  await press(page, 'Save settings')
  await page.getByText('Saved the settings').waitFor()
  const general = (await org.get(`/api/organizations/${org.organizationId}`)).json().settings
  assert.deepEqual(general.systemUserDefaults.restrictedFields, [{ field: 'jobTitle' }])
  const days = page.getByLabel('Days that events are kept')
  await days.fill('2')
  await press(page, 'Save retention')
  await page.getByText('at least 7', { exact: false }).waitFor()
  await days.fill('30')
  await press(page, 'Save retention')
  await page.getByText('Saved how long events are kept').waitFor()
  assert.equal((await org.get('/insights/directory/v1/retention')).json().days, 30)
  const image = page.getByRole('img', { name: /^Logo of/ })
  const chooser = page.waitForEvent('filechooser')
  await press(page, 'Upload logo')
  const bird = { name: 'bird.txt', mimeType: 'image/png', buffer: Buffer.from('no image') }
  await (await chooser).setFiles(bird)
  await page.getByText('bird.txt is not an image that this browser can read').waitFor()
  await page.locator('input[type=file]').setInputFiles({ ...bird, buffer: PNG })
  await page.getByText('Saved the logo').waitFor()
  await image.waitFor()
  assert.ok(await image.evaluate((element: HTMLImageElement) => element.decode().then(() => true)))
  await press(page, 'Remove logo')
  await image.waitFor({ state: 'detached' })
  await page.goto(`${root}/settings/reports`)
  await press(page, 'Request report')
  await page.getByRole('menuitem', { name: 'Devices and their operating systems' }).click()
  await page.getByText('In progress').waitFor()
  await app.runDueJobs()
  await page.getByText('Ready', { exact: true }).waitFor()
  const download = page.waitForEvent('download')
  await press(page, 'CSV')
  assert.equal((await download).suggestedFilename(), 'os-version.csv')

  const pages = [
    'administrators',
    `administrators/${reader.id}`,
    'roles',
    'api-keys',
    'service-accounts',
    ...['general', 'security', 'devices', 'webhooks', 'reports', 'about'].map(
      (part) => `settings/${part}`,
    ),
  ]
  assert.deepEqual(problems, [])

  const other = await openBrowser()
  await other.page.goto(`${root}/administrators`)
  await signInToConsole(other.page, reader.email, reader.password)
  await sidebar(other.page).waitFor()
  const names = /^(Add|Save|Invite|Suspend|Delete|Revoke|Remove|Rotate|Request|More actions)/
  for (const address of pages) {
    await other.page.goto(`${root}/${address}`)
    await other.page.getByRole('heading', { level: 1 }).waitFor()
    await other.settled()
    const main = other.page.locator('main')
    assert.equal(await main.getByRole('button', { name: names }).count(), 0, address)
  }
  assert.deepEqual(other.problems, [])
})

test('an administrator of a provider sees all organizations, and goes on from a number', async () => {
  const provider = await app.newProvider()
  const [one, two] = provider.organizationIds
  const post = (url: string, body?: unknown) => provider.post(url, body, { 'x-org-id': two! })
  await addPerson({ post }, { firstname: 'Ada', lastname: 'Berg' })
  const { page, problems } = await openBrowser()
  await page.goto(`/console/${one}/organizations?sort=-users`)
  await signInToConsole(page, provider.email, provider.password)
  const rows = page.getByRole('table', { name: 'Organizations' }).getByRole('row')
  await rows
    .nth(1)
    .getByRole('link', { name: `Organization ${two}` })
    .waitFor()
  await press(page, 'Users')
  await page.waitForURL(/sort=users/)
  await rows.nth(2).getByRole('cell').nth(1).getByRole('link', { name: '1', exact: true }).click()
  await page.waitForURL(new RegExp(`/console/${two}/users`))
  await page.getByRole('link', { name: 'Ada Berg' }).waitFor()
  await sidebar(page).getByRole('link', { name: 'Administrators' }).click()
  await press(page, 'Invite administrator')
  const invite = page.getByRole('dialog', { name: 'Invite administrator' })
  await invite.getByLabel('E-mail').fill(`kim.${one}@provider.example`)
  await invite.getByLabel('May enter every organization that you may enter').uncheck()
  await invite.getByRole('button', { name: 'Invite administrator' }).click()
  await tab(page, 'Organizations').click()
  const access = page.getByRole('checkbox', { name: `Organization ${two}` })
  assert.equal(await access.isChecked(), false)
  await access.click()
  await page.getByText('Gave access to').waitFor()
  await sidebar(page).getByRole('link', { name: 'Administrators' }).click()
  await page.getByRole('link', { name: 'Roles' }).click()
  await page.getByRole('columnheader', { name: 'Help Desk' }).waitFor()
  assert.deepEqual(problems, [])
})

test('a provider adds, renames, deletes and restores an organization, and changes its own name', async () => {
  const provider = await app.newProvider()
  const [one, two] = provider.organizationIds
  const { page, problems } = await openBrowser({ viewport: { width: 1280, height: 900 } })
  await page.goto(`/console/${one}/organizations`)
  await signInToConsole(page, provider.email, provider.password)
  const table = page.getByRole('table', { name: 'Organizations', exact: true })
  const row = (name: string) => table.getByRole('row', { name })
  await press(page, 'Add organization')
  const adding = page.getByRole('dialog', { name: 'Add organization' })
  await adding.getByLabel('Name').fill('Kestrel Labs')
  await adding.getByLabel('Users at most').fill('25')
  await adding.getByRole('button', { name: 'Add organization' }).click()
  await row('Kestrel Labs').waitFor()
  await press(page, 'Edit Kestrel Labs')
  const editing = page.getByRole('dialog', { name: 'Edit Kestrel Labs' })
  assert.equal(await editing.getByLabel('Users at most').inputValue(), '25')
  await editing.getByLabel('Name').fill('Kestrel')
  await editing.getByRole('button', { name: 'Save organization' }).click()
  await row('Kestrel').waitFor()
  // It can be entered at once.
  await page.getByRole('button', { name: /: switch$/ }).click()
  await page.getByRole('option', { name: 'Kestrel' }).waitFor()
  await page.keyboard.press('Escape')

  const old = `Organization ${two}`
  const { displayName } = (await provider.get(`/api/organizations/${one}`)).json()
  await press(page, `Edit ${displayName}`)
  const current = page.getByRole('dialog', { name: `Edit ${displayName}` })
  assert.ok(await current.getByRole('button', { name: 'Delete organization' }).isDisabled())
  await page.keyboard.press('Escape')
  await press(page, `Edit ${old}`)
  await press(page, 'Delete organization')
  const asking = page.getByRole('dialog', { name: `Delete ${old}?` })
  const confirm = asking.getByRole('button', { name: 'Delete organization' })
  assert.ok(await confirm.isDisabled())
  await asking.getByLabel(/to confirm$/).fill(old)
  await confirm.click()
  await row(old).waitFor({ state: 'detached' })
  assert.equal((await provider.get(`/api/organizations/${two}`)).statusCode, 404)
  await press(page, `Restore ${old}`)
  await row(old).waitFor()
  assert.equal((await provider.get(`/api/organizations/${two}`)).statusCode, 200)

  await page.getByRole('link', { name: 'Provider', exact: true }).click()
  await page.getByLabel('Name', { exact: true }).fill('Aerie Partners')
  await page.getByLabel('E-mail of the contact').fill('ops@aerie.example')
  await press(page, 'Save provider')
  await page.getByText('Saved the provider').waitFor()
  const record = (await provider.get(`/api/v2/providers/${provider.providerId}`)).json()
  assert.equal(record.name, 'Aerie Partners')
  assert.equal(record.contact.email, 'ops@aerie.example')

  const reader = await app.addProviderAdministrator(provider.providerId, [one!], 'Read Only')
  const other = await openBrowser()
  await other.page.goto(`/console/${one}/organizations`)
  await signInToConsole(other.page, reader.email, reader.password)
  await other.page.getByRole('table', { name: 'Organizations', exact: true }).waitFor()
  const buttons = other.page.locator('main').getByRole('button', { name: /Add|Edit|Restore/ })
  assert.equal(await buttons.count(), 0)
  assert.deepEqual([...problems, ...other.problems], [])
})
