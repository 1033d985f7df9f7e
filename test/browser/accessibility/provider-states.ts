import type { Page } from 'playwright-core'
import { field, press } from '../steps.ts'
import type { State } from './state.ts'

// Pages of a provider, and of its organizations with little in them.

interface Organizations {
  /** With a user. */
  first: string
  empty: string
  /** Its report of Workday refuses the password. */
  refused: string
  /** Without credentials for its report. */
  closed: string
  deleted: string
}

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

export const providerStates = (
  { first, empty, refused, closed, deleted }: Organizations,
  report: { reportUrl: string; username: string },
): State[] => [
  {
    name: 'organizations, one of them deleted',
    dark: true,
    at: `/${first}/organizations`,
    way: (page) => page.getByRole('button', { name: `Restore Organization ${deleted}` }).waitFor(),
  },
  {
    name: 'an organization that is added',
    at: `/${first}/organizations`,
    async way(page) {
      await press(page, 'Add organization')
      await page.getByRole('dialog').getByLabel('Users at most').fill('25')
    },
  },
  {
    name: 'an organization that is changed',
    at: `/${first}/organizations`,
    async way(page) {
      await page.getByRole('button', { name: /^Edit/ }).first().click()
      await page.getByRole('button', { name: 'Delete organization' }).waitFor()
    },
  },
  {
    name: 'a key of a provider',
    at: `/${first}/api-keys?new=1`,
    way: (page) => page.getByText('It reaches every organization that you reach').waitFor(),
  },
  {
    name: 'no devices',
    at: `/${empty}/devices`,
    way: (page) => page.getByText('No devices yet').waitFor(),
  },
  {
    name: 'no device groups',
    dark: true,
    at: `/${empty}/device-groups`,
    way: (page) => page.getByText('No device groups yet').waitFor(),
  },
  {
    name: 'no Workday',
    dark: true,
    at: `/${empty}/settings/workday`,
    way: (page) => page.getByText('come from a report of Workday').waitFor(),
  },
  {
    name: 'an address that is no report',
    at: `/${empty}/settings/workday`,
    async way(page) {
      const address = report.reportUrl.replace('format=json', 'format=csv')
      await field(page, 'Address of the report').fill(address)
      await field(page, 'User name').fill(report.username)
      await field(page, 'Password').fill('wrong')
      await press(page, 'Connect Workday')
      await page.getByText('the report must be read as JSON').waitFor()
    },
  },
  {
    name: 'a report that cannot be read',
    dark: true,
    at: `/${refused}/settings/workday`,
    way: (page) => region(page, 'Report').getByText('Cannot be read', { exact: true }).waitFor(),
  },
  {
    name: 'a report without credentials',
    dark: true,
    at: `/${closed}/settings/workday`,
    way: (page) => region(page, 'Report').getByText('No credentials', { exact: true }).waitFor(),
  },
]
