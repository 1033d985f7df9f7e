import type { BrowserContext, Page } from 'playwright-core'
import { PASSWORD } from '../person.ts'

// User actions on the pages, by visible text.

export const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { name, level: 1 })

export const field = (page: Page, label: string) => page.getByLabel(label, { exact: true })

export const press = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name }).click()

export async function signIn(page: Page, identifier: string, password = PASSWORD): Promise<void> {
  await heading(page, 'Sign in').waitFor()
  await field(page, 'E-mail or username').fill(identifier)
  await field(page, 'Password').fill(password)
  await press(page, 'Sign in')
}

/** Enters the new password twice and submits. */
export async function choosePassword(page: Page, password: string, action: string): Promise<void> {
  await field(page, 'New password').fill(password)
  await field(page, 'Repeat the new password').fill(password)
  await press(page, action)
}

/** Takes over a session that began without a browser. */
export async function takeSession(
  context: BrowserContext,
  url: string,
  cookie: string,
): Promise<void> {
  const [name, value] = cookie.split('=') as [string, string]
  await context.addCookies([{ name, value, url }])
}
