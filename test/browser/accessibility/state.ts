import type { Page } from 'playwright-core'

/** What a page looks like only after some steps: a dialog, a menu, a failure. */
export interface State {
  name: string
  /** Below the address of the organization, where the way begins. */
  at: string
  way: (page: Page) => Promise<unknown>
  /** In dark, too: it has colours of its own, as those of results. */
  dark?: true
}

export async function choose(page: Page, label: string, option: string | RegExp): Promise<void> {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option, exact: typeof option === 'string' }).click()
}

/** An item of the menu behind "More actions". */
export async function chooseAction(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name }).click()
}
