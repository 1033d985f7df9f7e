import type { FastifyPluginAsync } from 'fastify'
import { findApplication } from '../server/applications/index.ts'
import { type ImportContext, seedImport } from '../server/imports/index.ts'
import { systemCaller } from '../server/platform/caller.ts'
import { describeStandalone } from './world.ts'

const STAFF = 20
/** Not in the directory; only the plan shows them. */
const JOINERS = ['quill', 'tamsin']
const SAME = ['email', 'username', 'firstname', 'lastname'] as const

/** Some of the staff as a personnel system has them, with the numbers of their badges. */
function records() {
  const { staff, domain } = describeStandalone()
  const joiners = JOINERS.map((name) => ({
    email: `${name}@${domain}`,
    username: name,
    firstname: name[0]!.toUpperCase() + name.slice(1),
    lastname: 'Joiner',
  }))
  return [...staff.slice(0, STAFF), ...joiners].map((person, at) => ({
    id: `HR-${1001 + at}`,
    badge: `B${7001 + at}`,
    ...Object.fromEntries(SAME.map((name) => [name, person[name]])),
  }))
}

/** Below the prefix of the SCIM provider. */
export const peopleRoutes: FastifyPluginAsync = async (app) => {
  app.get('/people', { config: { public: true } }, () => records())
}

/** After each start, since the port may have changed. `page` is the address of the routes as this process reaches it. */
export async function connectPeople(context: ImportContext, page: string): Promise<void> {
  const { id: organizationId, apps } = describeStandalone()
  const { id } = apps.at(-1)!
  const tenant = context.db.tenant(organizationId)
  if (!(await findApplication(tenant, organizationId, id))) return
  await seedImport(
    context,
    systemCaller(organizationId, 'demo'),
    id,
    {
      source: { kind: 'rest', baseUrl: page, auth: { type: 'none' }, listPath: '/people' },
      mapping: [
        { target: 'externalId', value: { source: 'id' }, required: true },
        ...SAME.map((name) => ({ target: name, value: { source: name } })),
        { target: 'attributes.badge', value: { source: 'badge' } },
      ],
      // The staff stays editable, and all of it is changed.
      protectFields: false,
      limits: { changes: { percent: null } },
      activationEmails: false,
    },
    { operations: ['users.update'], allowUserReactivation: false },
  )
}
