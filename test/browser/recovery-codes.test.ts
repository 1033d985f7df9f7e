import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { startListening } from '../listening.ts'
import { addPerson, codesOf, PASSWORD } from '../person.ts'
import { startChromium } from './chromium.ts'
import { field, heading, press, signIn } from './steps.ts'

// Sign-in with recovery codes, in a real browser.

const app = await startListening()
const openBrowser = await startChromium(app.base)
app.secrets.add(PASSWORD)

async function shownCodes(page: Page): Promise<string[]> {
  const list = page.getByRole('list', { name: 'Recovery codes' })
  await list.waitFor()
  const codes = await list.getByRole('listitem').allTextContents()
  for (const code of codes) app.secrets.add(code)
  assert.equal(codes.length, 10)
  return codes
}

const left = (page: Page, count: number) => page.getByText(`${count} left`).waitFor()

/** Goes to the code step and chooses a recovery code. */
async function signInWithout(page: Page, username: string, code: string): Promise<void> {
  await page.goto('/login?continue=%2Fsecurity')
  await signIn(page, username)
  await heading(page, 'Your second factor').waitFor()
  await press(page, /Use a recovery code/)
  await field(page, 'Recovery code').fill(code)
  await press(page, 'Continue')
}

test('codes are shown at enrolment, sign in once each, and can be replaced', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org)
  const permissions = ['clipboard-read', 'clipboard-write']
  const { page, problems } = await openBrowser({ permissions })
  await page.goto('/login?continue=%2Fsecurity')
  await signIn(page, user.username)
  await press(page, 'Set up')
  const secret = (await page.getByTestId('totp-secret').textContent())!.replaceAll(' ', '')
  app.secrets.add(secret)
  await field(page, 'Code').fill(codesOf(secret)[0])
  const codes = await shownCodes(page)
  await press(page, 'Copy')
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), codes.join('\n'))
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download' }).click()
  const download = await downloading
  assert.equal(download.suggestedFilename(), 'gatehouse-recovery-codes.txt')
  const file = await readFile(await download.path(), 'utf8')
  assert.ok(codes.every((one) => file.includes(one)))
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
  await press(page, 'I saved my recovery codes')
  assert.equal(await focused(), 'Second factor', 'the keyboard goes on from there')
  await left(page, 10)
  await page.reload()
  await left(page, 10)
  assert.equal(await page.getByText(codes[0]!).count(), 0, 'shown once')

  const lost = await openBrowser({ viewport: { width: 390, height: 800 } })
  await signInWithout(lost.page, user.username, codes[0]!.toUpperCase())
  await heading(lost.page, 'Security').waitFor()
  await left(lost.page, 9)
  const again = await openBrowser({ viewport: { width: 390, height: 800 }, colorScheme: 'dark' })
  await signInWithout(again.page, user.username, codes[0]!)
  await again.page.getByRole('alert').waitFor()
  await press(again.page, 'Use your authenticator app')
  await field(again.page, 'Code').waitFor()

  await press(page, 'Create new codes')
  // The current code: the journey may take longer than a code is valid.
  await field(page, 'Code').fill(codesOf(secret)[1])
  const fresh = await shownCodes(page)
  assert.ok(fresh.every((one) => !codes.includes(one)))
  await press(page, 'I saved my recovery codes')
  assert.equal(await focused(), 'Recovery codes')

  // The device is lost for good: a recovery code removes the second factor.
  await press(lost.page, 'Remove')
  await press(lost.page, /Use a recovery code/)
  await field(lost.page, 'Recovery code').fill(fresh[0]!)
  await press(lost.page, 'Remove the second factor')
  await lost.page.getByRole('button', { name: 'Set up' }).waitFor()
  assert.equal(await lost.page.getByRole('region', { name: 'Recovery codes' }).count(), 0)
  assert.deepEqual([...problems, ...lost.problems, ...again.problems], [])
})
