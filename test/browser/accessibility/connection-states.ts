import { field, press } from '../steps.ts'
import type { Furnished } from './furnished.ts'
import { choose, type State } from './state.ts'

// Applications, and the accounts and people of their other sides.

export function connectionStates({ saml, client, refused, job, metadata }: Furnished): State[] {
  const application = `/applications/${saml}`
  const newClient = '/applications/catalogue/oidc?step=settings'
  return [
    {
      name: 'a service provider connected by its metadata',
      at: '/applications/catalogue/grafana?step=settings',
      async way(page) {
        await page.getByText('Read from metadata').click()
        const buffer = Buffer.from(metadata)
        const file = { name: 'sp.xml', mimeType: 'text/xml', buffer }
        await page.locator('input[type=file]').setInputFiles(file)
        await page.getByText('sp.xml').waitFor()
      },
    },
    {
      name: 'an attempt in detail, a rotation, and metadata that is followed',
      at: application,
      async way(page) {
        await page.getByText('Follows the metadata').waitFor()
        await page.getByText('Fetched', { exact: true }).waitFor()
        const attempts = page.getByRole('list', { name: 'Attempts' })
        await attempts.getByText('Signed in').waitFor()
        await attempts.getByRole('button', { name: 'Debug' }).first().click()
        await attempts.getByText('samlp:AuthnRequest').waitFor()
      },
    },
    {
      name: 'a client of OpenID Connect',
      at: `/applications/${client}`,
      way: (page) => page.getByLabel('Back-channel logout URI').waitFor(),
    },
    {
      name: 'a new secret of a client',
      at: `/applications/${client}`,
      async way(page) {
        await press(page, 'New secret')
        await page.getByRole('dialog', { name: 'The client secret' }).waitFor()
      },
    },
    {
      name: 'a client that is refused',
      at: newClient,
      async way(page) {
        await page.getByLabel('Redirect URIs').fill('http://app.example.com/callback')
        await press(page, 'Add application')
        await page.getByRole('alert').waitFor()
      },
    },
    {
      name: 'the secret of a client that was added',
      at: newClient,
      async way(page) {
        await page.getByLabel('Redirect URIs').fill('https://app.example.com/callback')
        await press(page, 'Add application')
        await page.getByText('The secret is not shown again').waitFor()
      },
    },
    {
      name: 'a connection that fails',
      at: `/applications/${refused}/provisioning?view=connection`,
      async way(page) {
        await press(page, 'Test connection')
        await page.getByText('Fails').waitFor()
      },
    },
    {
      name: 'limits of a connection',
      at: `${application}/provisioning?view=connection`,
      async way(page) {
        await press(page, 'Advanced')
        await field(page, 'Requests per second').waitFor()
      },
    },
    {
      name: 'the rules for a record, and what they make of it',
      at: `${application}/import?view=mapping`,
      async way(page) {
        await press(page, 'Preview records')
        await press(page, 'Rules for Cleo Stone')
        await page.getByRole('cell', { name: 'Support', exact: true }).waitFor()
      },
    },
    {
      name: 'a rule without its field',
      at: `${application}/import?view=mapping`,
      async way(page) {
        await page.getByText('No rule reads Team.').waitFor()
        await press(page, 'Add rule')
      },
    },
    {
      name: 'what an import changed',
      at: `${application}/import?view=runs&job=${job}`,
      way: (page) => press(page, /changes of Cleo Stone/),
    },
    {
      name: 'advanced settings of a source',
      at: `${application}/import?view=source`,
      async way(page) {
        await press(page, 'Advanced')
        await choose(page, 'Columns are separated by', 'As the header row has it')
      },
    },
    {
      name: 'pages and rules of a source',
      at: `/applications/${refused}/import`,
      async way(page) {
        await page.getByText('REST API').click()
        await choose(page, 'Pages', 'Numbered pages')
        await press(page, 'Add parameter')
        await press(page, 'Advanced')
        await field(page, 'Schedule').fill('0 3 * * *')
        await choose(page, 'Scheduled runs', 'Only update users')
        await choose(page, 'People who are no longer there', 'Suspend')
        await field(page, 'After so many reads without them').waitFor()
      },
    },
    {
      name: 'a webhook that is added',
      at: '/settings/webhooks',
      async way(page) {
        await press(page, 'Add webhook')
        await page
          .getByRole('dialog', { name: 'Add webhook' })
          .getByLabel('Address')
          .fill('https://')
      },
    },
  ]
}
