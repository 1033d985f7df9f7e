import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asOwner } from '../../test/cluster.ts'
import { newDatabase } from '../../test/database.ts'
import { readMigrations } from '../platform/db/migrate.ts'
import { newId } from '../platform/ids.ts'
import { templateOf, valuesOf } from './catalogue.ts'
import { readSsoConfig } from './sso-config.ts'

const NAME_ID = 'urn:oasis:names:tc:SAML'
const PERSISTENT = `${NAME_ID}:2.0:nameid-format:persistent`
const EMAIL = `${NAME_ID}:1.1:nameid-format:emailAddress`
const ATTRIBUTES = [{ name: 'mail', value: 'email' }]

/** An application from before, and what its service provider receives. */
const CASES: [template: string, config: object, format: string, subject: string, keeps: boolean][] =
  [
    ['saml2', {}, `${NAME_ID}:1.0:nameid-format:unspecified`, 'email', false],
    ['saml2', { subjectField: 'username', overrideNameIdFormat: EMAIL }, EMAIL, 'username', false],
    ['saml2', { overrideNameIdFormat: PERSISTENT }, PERSISTENT, 'email', true],
    ['slack', {}, PERSISTENT, 'email', true],
    ['slack', { overrideNameIdFormat: EMAIL }, EMAIL, 'email', false],
    ['github-enterprise-cloud', {}, PERSISTENT, 'email', true],
    ['gitlab', {}, PERSISTENT, 'email', true],
    ['gitlab', { subjectField: 'username' }, PERSISTENT, 'username', true],
    ['zoom', {}, EMAIL, 'email', false],
  ]

test('service providers of existing applications receive the same NameIDs and attributes', async () => {
  const { owner } = await newDatabase({ empty: true })
  const migrations = readMigrations()
  const at = migrations.findIndex(({ name }) => name === '0038_sp_metadata.sql')
  await asOwner(owner, async (client) => {
    for (const { text } of migrations.slice(0, at)) await client.query(text)
    const org = newId()
    for (const [position, [name, config]] of CASES.entries()) {
      const id = newId()
      await client.query(
        "insert into nodes (organization_id, type, id) values ($1, 'application', $2)",
        [org, id],
      )
      await client.query(
        `insert into applications (organization_id, id, name, display_name, display_label, sso_url, slug, config)
         values ($1, $2, $3, '', $4, '', $5, $6)`,
        [org, id, name, String(position), `slug-${position}`, JSON.stringify(config)],
      )
    }
    const marked = { overrideNameIdFormat: EMAIL, databaseAttributes: ATTRIBUTES }
    await client.query("update applications set config = $1 where display_label = '4'", [
      JSON.stringify(marked),
    ])
    await client.query(migrations[at]!.text)
    const { rows } = await client.query(
      'select name, config from applications order by display_label::int',
    )
    for (const [position, [, , format, subject, keeps]] of CASES.entries()) {
      const { name, config } = rows[position]
      const { nameIdFormat, subjectField, keepsNameId, databaseAttributes } = readSsoConfig(
        valuesOf(templateOf(name), config),
      )
      assert.deepEqual([nameIdFormat, subjectField, keepsNameId], [format, subject, keeps], name)
      if (name === 'saml2') assert.deepEqual(databaseAttributes, [])
      if (position === 4) assert.deepEqual(databaseAttributes, ATTRIBUTES)
    }
  })
})
