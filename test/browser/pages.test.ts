import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startListening } from '../listening.ts'
import { addPerson, PASSWORD } from '../person.ts'
import { addApplication, addGroup, bind } from '../sso/world.ts'
import { startChromium } from './chromium.ts'
import { sidebar, signInToConsole } from './console-steps.ts'
import { heading, signIn } from './steps.ts'

// One page of each face, to see that the built pages start: the journeys are in the files beside this one.

const app = await startListening()
const openBrowser = await startChromium(app.base)
app.secrets.add(PASSWORD)

test('the portal signs a user in and shows the applications', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org)
  const { id } = await addApplication(org, {}, { displayLabel: 'Wiki' })
  await bind(org, id, 'user_group', await addGroup(org, 'Engineering', user.id))
  const { page, problems } = await openBrowser()
  await page.goto('/')
  await signIn(page, user.email)
  await page.getByRole('link', { name: /Wiki/ }).waitFor()
  assert.deepEqual(problems, [])
})

test('the console signs an administrator in and shows the users', async () => {
  const org = await app.newOrganization()
  await addPerson(org, { firstname: 'Ada', lastname: 'Berg' })
  const { page, problems } = await openBrowser()
  await page.goto('/console')
  await signInToConsole(page, org.email, org.password)
  await sidebar(page).getByRole('link', { name: 'Users' }).click()
  await heading(page, 'Users').waitFor()
  await page.getByRole('link', { name: 'Ada Berg' }).waitFor()
  assert.deepEqual(problems, [])
})
