import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { errorsOf } from '../../platform/http/errors.ts'
import { project } from '../../platform/list/page.ts'
import { ListQueryV2, readListV2 } from '../../platform/list/query.ts'
import { READ_USERS, USERS } from '../rights.ts'
import {
  authorizeWorkday,
  createWorkday,
  deauthorizeWorkday,
  getWorkday,
  importResults,
  importWorkers,
  listWorkers,
  removeWorkday,
  toWorkday,
  updateWorkday,
} from './actions.ts'
import type { WorkdayContext } from './context.ts'
import {
  BulkJob,
  BulkResult,
  Workday,
  WorkdayAuthorize,
  WorkdayEntries,
  WorkdayFields,
  WorkdayInput,
  WorkdayWorker,
} from './schema.ts'
import { readWorkdays, workdayResource } from './store.ts'

const errors = errorsOf('v2')
const tags = ['workday']
const READ = ['directories', 'directories.readonly']
const WRITE = ['directories']
const params = Type.Object({ id: Type.String() })
const workdayParams = Type.Object({ workday_id: Type.String() })
const id = (verb: string) => ({ operationId: { legacy: `workdays_${verb}` } })

/** Import of users from a Workday report. */
export const workdayRoutes: FastifyPluginAsyncTypebox<{ context: WorkdayContext }> = async (
  app,
  { context },
) => {
  app.get(
    '/workdays',
    {
      schema: {
        tags,
        summary: 'List Workdays',
        querystring: ListQueryV2,
        response: { 200: Type.Array(Workday), ...errors },
      },
      config: { scopes: READ, ...id('list') },
    },
    async ({ caller: { organizationId }, query }, reply) => {
      const list = readListV2(workdayResource, query, context.limits.list)
      const tenant = context.db.tenant(organizationId)
      const { totalCount, results } = await readWorkdays(tenant, organizationId, list)
      reply.header('x-total-count', totalCount)
      return results.map((row) => project(toWorkday(row), list.fields))
    },
  )

  app.post(
    '/workdays',
    {
      schema: {
        tags,
        summary: 'Create the Workday of an organization',
        description:
          'There is one in an organization, and its name is "Workday Import". The report is tried at once: auth.basic shows whether it could be read.',
        body: WorkdayInput,
        response: { 201: Workday, ...errors },
      },
      config: { scopes: WRITE, besides: [USERS], ...id('post') },
    },
    async ({ caller, body }, reply) =>
      reply.code(201).send(await createWorkday(context, caller, body)),
  )

  app.get(
    '/workdays/:id',
    {
      schema: {
        tags,
        summary: 'Get a Workday',
        params,
        response: { 200: Workday, ...errors },
      },
      config: { scopes: READ, ...id('get') },
    },
    ({ caller, params }) => getWorkday(context, caller, params.id),
  )

  app.put(
    '/workdays/:id',
    {
      schema: {
        tags,
        summary: 'Change the report of a Workday',
        description:
          'The credentials are kept only for the host they were given for; authorize again after a change of the host.',
        params,
        body: WorkdayFields,
        response: { 200: Workday, ...errors },
      },
      config: { scopes: WRITE, besides: [USERS], ...id('put') },
    },
    ({ caller, params, body }) => updateWorkday(context, caller, params.id, body),
  )

  app.delete(
    '/workdays/:id',
    {
      schema: {
        tags,
        summary: 'Delete a Workday; imported users stay',
        params,
        response: { 204: Type.Null(), ...errors },
      },
      config: { scopes: WRITE, ...id('delete') },
    },
    async ({ caller, params }, reply) => {
      await removeWorkday(context, caller, params.id)
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/workdays/:workday_id/auth',
    {
      schema: {
        tags,
        summary: 'Set the credentials of a Workday',
        description:
          'The report is tried at once. Wrong credentials are stored too: the record shows in auth.basic whether the report could be read, and if not, why.',
        params: workdayParams,
        body: WorkdayAuthorize,
        response: { 204: Type.Null(), ...errors },
      },
      config: { scopes: WRITE, besides: [USERS], ...id('authorize') },
    },
    async ({ caller, params, body }, reply) => {
      await authorizeWorkday(context, caller, params.workday_id, body.auth)
      return reply.code(204).send(null)
    },
  )

  app.delete(
    '/workdays/:workday_id/auth',
    {
      schema: {
        tags,
        summary: 'Delete the credentials of a Workday',
        params: workdayParams,
        response: { 204: Type.Null(), ...errors },
      },
      config: { scopes: WRITE, ...id('deauthorize') },
    },
    async ({ caller, params }, reply) => {
      await deauthorizeWorkday(context, caller, params.workday_id)
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/workdays/:workday_id/workers',
    {
      schema: {
        tags,
        summary: 'List the workers in the report',
        description:
          'Reads the whole report, so prefer few large pages: limit may be up to 1000. Sorts by username, email, firstName and lastName; otherwise in the order of the report.',
        params: workdayParams,
        querystring: Type.Pick(ListQueryV2, ['limit', 'skip', 'sort']),
        response: { 200: Type.Array(WorkdayWorker), ...errors },
      },
      config: { scopes: READ, besides: [READ_USERS], ...id('workers') },
    },
    async ({ caller, params, query }, reply) => {
      const { totalCount, results } = await listWorkers(context, caller, params.workday_id, query)
      reply.header('x-total-count', totalCount)
      return results
    },
  )

  app.post(
    '/workdays/:workday_id/import',
    {
      schema: {
        tags,
        summary: 'Import workers as users',
        description:
          'A job creates a user for each entry, with the state of the entry or else the default of the organization. The results tell what became of each.',
        params: workdayParams,
        body: WorkdayEntries,
        response: { 201: BulkJob, ...errors },
      },
      config: { scopes: USERS, besides: [READ], ...id('import') },
    },
    async ({ caller, params, body }, reply) => {
      const jobId = await importWorkers(context, caller, params.workday_id, body)
      return reply.code(201).send({ jobId })
    },
  )

  app.get(
    '/workdays/:id/import/:job_id/results',
    {
      schema: {
        tags,
        summary: 'List the results of an import, one per entry',
        params: Type.Object({ id: Type.String(), job_id: Type.String() }),
        querystring: Type.Pick(ListQueryV2, ['limit', 'skip']),
        response: { 200: Type.Array(BulkResult), ...errors },
      },
      config: { scopes: READ, besides: [READ_USERS], ...id('importresults') },
    },
    async ({ caller, params, query }, reply) => {
      const { totalCount, results } = await importResults(
        context,
        caller,
        params.id,
        params.job_id,
        query,
      )
      reply.header('x-total-count', totalCount)
      return results
    },
  )
}
