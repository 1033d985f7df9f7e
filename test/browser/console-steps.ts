import type { Page } from 'playwright-core'
import { field, heading, press } from './steps.ts'

// What administrators do on every page of the console.

export async function signInToConsole(page: Page, email: string, password: string): Promise<void> {
  await heading(page, 'Sign in to the console').waitFor()
  await field(page, 'E-mail').fill(email)
  await field(page, 'Password').fill(password)
  await press(page, 'Sign in')
}

export const sidebar = (page: Page) => page.getByRole('navigation', { name: 'Main' })

/** The object's own pages: the sidebar may have a link of the same name. */
export const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: /^Pages of/ }).getByRole('link', { name, exact: true })
