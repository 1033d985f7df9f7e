import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { errorsOf } from '../platform/http/errors.ts'
import { deleteConfig, getConfig, MAX_FILE_BYTES, putConfig, putFile } from './config.ts'
import type { ImportContext } from './context.ts'
import { listImportUsers } from './listing.ts'
import { USERS } from './rights.ts'
import {
  ImportConfig,
  ImportConfigPut,
  ImportPreview,
  ImportPreviewRequest,
  ImportTest,
  ImportUser,
  ImportUsersQuery,
} from './schema.ts'
import { previewMapping, testSource } from './try.ts'

const errors = errorsOf('v2')
const tags = ['imports']
const READ = ['applications', 'applications.readonly']
const WRITE = ['applications']
const BASE = '/applications/:application_id/import'
const params = Type.Object({ application_id: Type.String() })
const FILE_TYPES = ['text/csv', 'application/x-ndjson', 'application/octet-stream', 'text/plain']

const HOW =
  `People come from a REST API, a SCIM service or a file. The mapping turns each record into a user; a record is
the user it was linked to by an earlier import, else the one with its e-mail address, else the one with its username. Secrets
are write-only.`.replaceAll('\n', ' ')

/** The import source of an application, and the people it has. */
export const importRoutes: FastifyPluginAsyncTypebox<{ context: ImportContext }> = async (
  app,
  { context },
) => {
  app.get(
    `${BASE}/config`,
    {
      schema: {
        tags,
        summary: 'Get the import source of an application',
        params,
        response: { 200: ImportConfig, ...errors },
      },
      config: { scopes: READ },
    },
    ({ caller, params }) => getConfig(context, caller, params.application_id),
  )

  app.put(
    `${BASE}/config`,
    {
      schema: {
        tags,
        summary: 'Make an application an import source, or replace its configuration',
        description: HOW,
        params,
        body: ImportConfigPut,
        response: { 200: ImportConfig, ...errors },
      },
      config: { scopes: WRITE, besides: [USERS] },
    },
    ({ caller, params, body }) => putConfig(context, caller, params.application_id, body),
  )

  app.delete(
    `${BASE}/config`,
    {
      schema: {
        tags,
        summary: 'Delete the import source; the users stay',
        params,
        response: { 204: Type.Null(), ...errors },
      },
      config: { scopes: WRITE },
    },
    async ({ caller, params }, reply) => {
      await deleteConfig(context, caller, params.application_id)
      return reply.code(204).send(null)
    },
  )

  app.post(
    `${BASE}/config/test`,
    {
      schema: {
        tags,
        summary: 'Read the first records of the source',
        params,
        response: { 200: ImportTest, ...errors },
      },
      config: { scopes: WRITE },
    },
    ({ caller, params }) => testSource(context, caller, params.application_id),
  )

  app.post(
    `${BASE}/config/preview`,
    {
      schema: {
        tags,
        summary: 'See what a mapping makes of live records',
        description: 'With `mapping`, that one is tried instead of the saved one.',
        params,
        body: Type.Optional(ImportPreviewRequest),
        response: { 200: ImportPreview, ...errors },
      },
      config: { scopes: WRITE, besides: [USERS] },
    },
    ({ caller, params, body }) =>
      previewMapping(context, caller, params.application_id, body ?? {}),
  )

  app.get(
    `${BASE}/users`,
    {
      schema: {
        tags,
        summary: 'List the people of the source, compared with the directory',
        params,
        querystring: ImportUsersQuery,
        response: { 200: Type.Array(ImportUser), ...errors },
      },
      config: { scopes: WRITE, besides: [USERS], operationId: { legacy: 'import_users' } },
    },
    async ({ caller, params, query }, reply) => {
      const { users, total, cursor } = await listImportUsers(
        context,
        caller,
        params.application_id,
        query,
      )
      if (total !== undefined) reply.header('x-total-count', String(total))
      if (cursor !== undefined) reply.header('x-cursor', cursor)
      return users
    },
  )
}

/** The upload of a file, whose body is not JSON. */
export const importFileRoutes: FastifyPluginAsyncTypebox<{ context: ImportContext }> = async (
  app,
  { context },
) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    [...FILE_TYPES, 'application/json'],
    { parseAs: 'buffer', bodyLimit: MAX_FILE_BYTES },
    (_, body, done) => done(null, body),
  )
  app.put(
    `${BASE}/file`,
    {
      bodyLimit: MAX_FILE_BYTES,
      schema: {
        tags,
        summary: 'Upload the file of a source of kind file',
        description: `CSV, JSON or JSON Lines, up to ${MAX_FILE_BYTES / 1_048_576} MiB. It is kept for 30 days.`,
        params,
        querystring: Type.Object({ name: Type.Optional(Type.String({ maxLength: 256 })) }),
        consumes: [...FILE_TYPES, 'application/json'],
        body: Type.Unsafe<Buffer>({
          type: 'string',
          format: 'binary',
          example: 'email,firstname\nada@example.com,Ada\n',
        }),
        response: { 204: Type.Null(), ...errors },
      },
      validatorCompiler: () => () => true,
      config: { scopes: WRITE, besides: [USERS] },
    },
    async ({ caller, params, query, body }, reply) => {
      await putFile(context, caller, params.application_id, query.name ?? 'upload', body)
      return reply.code(204).send(null)
    },
  )
}
