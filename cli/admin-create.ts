import {
  BUILT_IN_ROLES,
  builtInRole,
  type Credentials,
  organizationIdsOfProvider,
  seedAdministrator,
} from '../server/admins/index.ts'
import { findOrganization, findProvider } from '../server/organizations/index.ts'
import { type Db, isUniqueViolation } from '../server/platform/db/index.ts'
import { OperatorError } from '../server/platform/errors.ts'
import { isId } from '../server/platform/ids.ts'
import { command, UsageError } from './command.ts'
import { pairs, print } from './output.ts'
import { withRuntime } from './runtime.ts'

type Home = Parameters<typeof seedAdministrator>[1]

async function findHome(db: Db, org: string | undefined, provider: string | undefined) {
  const id = org ?? provider!
  if (!isId(id)) throw new UsageError(`"${id}" is not an id; gatehouse org list shows them`)
  if (org !== undefined) {
    if (!(await findOrganization(db, org)))
      throw new OperatorError(`There is no organization ${org}; gatehouse org list shows them`)
    return { id, home: { organization: org } satisfies Home }
  }
  if (!(await findProvider(db, id)))
    throw new OperatorError(`There is no provider ${id}; gatehouse org list shows them`)
  const rows = await organizationIdsOfProvider(db, id)
  const organizations = rows.map((row) => row.id)
  return { id, home: { provider: id, organizations } satisfies Home }
}

async function create(db: Db, email: string, roleName: string, id: string, home: Home) {
  try {
    return await db.tx(id, (tx) => seedAdministrator(tx, home, { email, roleName }))
  } catch (error) {
    if (isUniqueViolation(error, 'administrators_email'))
      throw new OperatorError(`An administrator ${email} already exists`)
    throw error
  }
}

const show = ({ id, email, password, apiKey }: Credentials): string[] => [
  'Created. The password and the key are shown only once.',
  ...pairs({ id, 'e-mail': email, password, 'API key': apiKey }),
]

export const adminCreate = command({
  about: 'Creates an administrator who can sign in and call the API immediately.',
  options: {
    email: { type: 'string', value: 'ADDRESS', about: 'E-mail address', required: true },
    role: { type: 'string', value: 'NAME', about: 'Built-in role; Administrator by default' },
    org: { type: 'string', value: 'ID', about: 'Organization of the administrator' },
    provider: {
      type: 'string',
      value: 'ID',
      about: 'Provider instead, with access to all its organizations',
    },
  },
  notes: [`Roles: ${BUILT_IN_ROLES.map((role) => role.name).join(', ')}`],
  json: true,
  run({ options: { email, role = 'Administrator', org, provider }, json }) {
    if ((org === undefined) === (provider === undefined))
      throw new UsageError('Give either --org or --provider')
    if (!/^[^\s@]+@[^\s@]+$/.test(email))
      throw new UsageError(`"${email}" is not an e-mail address`)
    const found = builtInRole(role)
    if (!found)
      throw new UsageError(`There is no role "${role}"; see gatehouse admin create --help`)
    return withRuntime(async ({ db }) => {
      const { id, home } = await findHome(db, org, provider)
      const credentials = await create(db, email, found.name, id, home)
      print(json, credentials, () => show(credentials))
    })
  },
})
