import type { Page } from 'playwright-core'
import { field, press } from '../steps.ts'
import type { Furnished } from './furnished.ts'
import { choose, chooseAction, type State } from './state.ts'

// The frame of the console, and its records.

const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name })
const openAccount = (page: Page) => press(page, /Account of/)

const frame = ({ ada }: Furnished): State[] => [
  {
    name: 'the command palette',
    at: `/users/${ada.id}`,
    async way(page) {
      await page.keyboard.press('Control+k')
      await page.getByLabel('Search or jump to', { exact: true }).fill('ada')
      const palette = dialog(page, 'Command palette')
      await palette.getByRole('button', { name: /Ada Berg/ }).waitFor()
    },
  },
  {
    name: 'keyboard shortcuts',
    at: '/users',
    async way(page) {
      await page.keyboard.press('Shift+?')
      await dialog(page, 'Keyboard shortcuts').waitFor()
    },
  },
  {
    name: 'calls of a page',
    at: '/users',
    async way(page) {
      await openAccount(page)
      await press(page, 'See it as API calls')
      const calls = dialog(page, 'This page as API calls')
      await calls.getByText('GET /api/systemusers', { exact: false }).first().waitFor()
    },
  },
  {
    name: 'the account menu',
    at: `/users/${ada.id}/state`,
    async way(page) {
      await openAccount(page)
      await page.getByRole('radiogroup', { name: 'Times' }).getByText('UTC').click()
      await page.getByLabel('At, in UTC').waitFor()
    },
  },
]

const users = ({ ada }: Furnished): State[] => [
  {
    name: 'a change in the history of a user',
    at: `/users/${ada.id}/history`,
    async way(page) {
      const events = page.getByRole('list', { name: 'Events' })
      await events.getByRole('button', { name: '1 change' }).last().click()
      await events.getByRole('cell', { name: 'Engineer' }).waitFor()
    },
  },
  {
    name: 'columns of a list',
    at: '/users',
    async way(page) {
      await press(page, 'Columns')
      await page.getByText('Compact').waitFor()
    },
  },
  {
    name: 'the question before work on several users',
    at: '/users',
    async way(page) {
      await page.getByLabel(/^Select the first/).check()
      await press(page, 'Expire password')
      await page.getByText('They have to choose a new password', { exact: false }).waitFor()
    },
  },
]

const groups = ({ ruled }: Furnished): State[] => [
  {
    name: 'members by rule, and one who is exempt',
    dark: true,
    at: `/groups/${ruled}`,
    way: (page) => page.getByRole('combobox', { name: 'Add an exempt user' }).waitFor(),
  },
]

const devices = ({ command, run }: Furnished): State[] => [
  {
    name: 'a device that is enrolled',
    at: '/devices',
    async way(page) {
      await page.getByRole('button', { name: 'Enrol device' }).first().click()
      await dialog(page, 'Enrol device').getByText('Waiting for your machine').waitFor()
    },
  },
  {
    name: 'a command that is added',
    at: '/commands',
    async way(page) {
      await page.getByRole('button', { name: 'Add command' }).first().click()
      const form = dialog(page, 'Add command')
      await form.getByRole('textbox', { name: 'Script' }).click()
      await page.keyboard.insertText('echo "Size: $((6 * 7))"; exit 3')
    },
  },
  {
    name: 'a run that waits',
    at: `/commands/${command}/results?run=${run}`,
    way: (page) => page.getByText('Waiting for the device').waitFor(),
  },
  ...[
    ['a chosen group', 'Choose a group of devices', /Linux/] as const,
    ['a chosen device', 'Choose a device', /web-1/] as const,
  ].map(([name, label, option]) => ({
    name: `a command for ${name}`,
    at: `/commands/${command}`,
    async way(page: Page) {
      await chooseAction(page, 'Run on chosen devices')
      await choose(page, label, option)
      await dialog(page, 'Run on chosen devices').getByRole('listitem').waitFor()
    },
  })),
]

const insights: State[] = [
  {
    name: 'completion of a query',
    at: '/insights',
    async way(page) {
      await page.getByRole('textbox', { name: 'Query', exact: true }).click()
      await page.keyboard.type('event_ty')
      const completions = page.getByRole('listbox', { name: 'Completions' })
      await completions.getByRole('option', { name: 'event_type' }).waitFor()
    },
  },
  {
    name: 'an event',
    at: '/insights?q=event_type+%3D+systemuser_update',
    async way(page) {
      const events = page.getByRole('region', { name: 'Events', exact: true })
      await events.getByRole('link').first().click()
      await page
        .getByRole('complementary', { name: 'Event' })
        .getByRole('cell', { name: 'Engineer' })
        .waitFor()
    },
  },
  {
    name: 'a search that is saved',
    at: '/insights?q=event_type+%3D+systemuser_create',
    async way(page) {
      await press(page, 'Searches')
      await page.getByRole('menuitem', { name: 'Save this search…' }).click()
      await dialog(page, 'Save this search')
        .getByLabel(/^Share/)
        .check()
    },
  },
  {
    name: 'sign-ins of one country',
    at: '/insights',
    async way(page) {
      await press(page, 'Searches')
      await page.getByRole('menuitem', { name: 'Sign-ins by country' }).click()
      const countries = page.getByRole('list', { name: 'Values of geoip.country_code' })
      await countries.getByRole('button', { name: 'Germany', exact: true }).click()
      await countries.getByText('France').waitFor({ state: 'detached' })
    },
  },
]

/** `password` is that of the administrator who looks. */
const administrators = ({ org }: Furnished, password: string): State[] => [
  {
    name: 'a key for some of the rights',
    at: '/api-keys',
    async way(page) {
      await press(page, 'Replace key')
      const form = dialog(page, 'Replace your API key')
      await form.getByLabel('Only what you choose').check()
      await form.getByRole('group', { name: 'Users' }).getByLabel('Read', { exact: true }).check()
    },
  },
  {
    name: 'a key that is shown once',
    at: '/api-keys',
    async way(page) {
      await press(page, 'Replace key')
      const form = dialog(page, 'Replace your API key')
      await form.getByRole('button', { name: 'Replace key' }).click()
      await form.getByText('is shown only now').waitFor()
    },
  },
  {
    name: 'an invitation',
    at: '/administrators',
    async way(page) {
      await press(page, 'Invite administrator')
      await choose(page, 'Role', 'Auditor')
    },
  },
  {
    name: 'a change that needs the password',
    at: `/administrators/${org.adminId}`,
    async way(page) {
      await field(page, 'E-mail').fill('ada@audit.example')
      await press(page, 'Save administrator')
      await dialog(page, 'Confirm that it is you').getByLabel('Your password').fill(password)
    },
  },
]

const workday = ({ workdayJob }: Furnished): State[] => [
  {
    name: 'results of an import, one of which failed',
    dark: true,
    at: `/settings/workday?job=${workdayJob}`,
    way: (page) => page.getByText('1 created, 1 failed').waitFor(),
  },
  {
    name: 'credentials of a report',
    at: '/settings/workday',
    async way(page) {
      await press(page, 'Change credentials')
      await dialog(page, 'Change credentials').getByLabel('User name').fill('ISU')
    },
  },
  {
    name: 'the question before all are imported',
    at: '/settings/workday',
    async way(page) {
      await press(page, 'Import all')
      await dialog(page, /^Import all/).waitFor()
    },
  },
  {
    name: 'the question before Workday is disconnected',
    at: '/settings/workday',
    async way(page) {
      await press(page, 'Disconnect Workday')
      await dialog(page, 'Disconnect Workday?').waitFor()
    },
  },
]

export const consoleStates = (
  world: Furnished,
  password: string,
  runDueJobs: () => Promise<unknown>,
): State[] => [
  ...frame(world),
  ...users(world),
  ...groups(world),
  ...devices(world),
  ...insights,
  ...administrators(world, password),
  ...workday(world),
  // Last: the tray stays at the bottom of every page.
  {
    name: 'work that failed for a user',
    dark: true,
    at: '/users',
    async way(page) {
      await page
        .getByRole('row', { name: /Noor Haddad/ })
        .getByLabel('Select this row')
        .check()
      const { results } = (
        await world.org.get('/api/systemusers?filter=lastname:$eq:Haddad')
      ).json()
      await world.org.delete(`/api/systemusers/${results[0].id}`)
      await press(page, 'Suspend')
      const tray = page.getByRole('region', { name: 'Work in progress' })
      await tray.getByText('Suspend').first().waitFor()
      await runDueJobs()
      await tray.getByRole('button', { name: 'Show failures' }).click()
      await tray.getByRole('link', { name: results[0].id }).waitFor()
    },
  },
]
