import multipart from '@fastify/multipart'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyError, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { invalid } from '../platform/errors.ts'
import { errorsOf } from '../platform/http/errors.ts'
import { getApplicationRow } from './actions.ts'
import type { ApplicationContext } from './context.ts'
import { getLogo, replaceLogo } from './logos.ts'

const errors = errorsOf('v2')
const params = Type.Object({ application_id: Type.String() })
const tags = ['applications']
const scopes = ['applications', 'applications.update']
const binary = { schema: Type.String({ format: 'binary' }) }

/** The part named `image`; other parts are ignored. */
async function readImage(request: FastifyRequest): Promise<Buffer | undefined> {
  let image: Buffer | undefined
  for await (const part of request.files()) {
    // Every part must be consumed, or the stream stalls before the next one.
    const content = await part.toBuffer()
    if (part.fieldname === 'image') image = content
  }
  return image
}

async function imageOf(request: FastifyRequest): Promise<Buffer> {
  if (!request.isMultipart()) throw invalid('bad_image', 'image: send it as multipart/form-data')
  const image = await readImage(request).catch((error: FastifyError) => {
    // Exceeded limits have a status. Other errors mean a malformed form: no boundary, an overlong one, no end.
    if (error.statusCode !== undefined) throw error
    throw invalid('bad_form', 'The body is not valid multipart/form-data', {
      cause: error,
    })
  })
  if (!image) throw invalid('bad_image', 'image: is required')
  return image
}

export const logoRoutes: FastifyPluginAsyncTypebox<{ context: ApplicationContext }> = async (
  app,
  { context },
) => {
  const { logoBytes } = context.limits.forms
  await app.register(multipart, {
    limits: { fileSize: logoBytes, files: 4, fields: 4, parts: 8, fieldSize: 1024 },
  })

  app.post(
    '/applications/:application_id/logo',
    {
      bodyLimit: logoBytes + 65_536,
      schema: {
        tags,
        summary: 'Set the logo of an application: a PNG, JPEG or GIF of up to 1 MiB',
        params,
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: Type.Object({ image: Type.String({ format: 'binary' }) }),
            },
          },
        },
        response: { 204: Type.Null(), ...errors },
      },
      config: { scopes, operationId: { legacy: 'applications_postLogo' } },
    },
    async (request, reply) => {
      const { caller, params } = request
      const tenant = context.db.tenant(caller.organizationId)
      await getApplicationRow(tenant, caller.organizationId, params.application_id)
      await replaceLogo(context, caller, params.application_id, await imageOf(request))
      return reply.code(204).send(null)
    },
  )

  app.delete(
    '/applications/:application_id/logo',
    {
      schema: {
        tags,
        summary: 'Delete the logo of an application',
        params,
        response: { 204: Type.Null(), ...errors },
      },
      config: { scopes, operationId: { legacy: 'applications_deleteLogo' } },
    },
    async ({ caller, params }, reply) => {
      await replaceLogo(context, caller, params.application_id, null)
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/logos/:id',
    {
      schema: {
        tags: ['logos'],
        summary: 'Get a logo; public',
        params: Type.Object({ id: Type.String() }),
        response: {
          200: {
            description: 'The image',
            content: { 'image/gif': binary, 'image/jpeg': binary, 'image/png': binary },
          },
          ...errors,
        },
      },
      config: { public: true, operationId: { legacy: 'logos_get' } },
    },
    async ({ params }, reply) => {
      const { content_type, content } = await getLogo(context, params.id)
      return (
        reply
          .type(content_type)
          // A new image gets a new id.
          .header('cache-control', 'public, max-age=31536000, immutable')
          .send(content as never)
      )
    },
  )
}
