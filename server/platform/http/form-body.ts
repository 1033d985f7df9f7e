import formbody from '@fastify/formbody'
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify'
import { limits } from '../limits.ts'

/** Per plugin: other routes reject forms, because any web page can make a browser send one. */
export async function registerFormBody(app: FastifyInstance): Promise<void> {
  await app.register(formbody, { bodyLimit: limits.forms.bytes })
}

const isEmpty = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0'

/** Bodies are JSON unless a route says otherwise. Another type without a body is fine: some clients send that. */
export function refuseOtherBodies(app: FastifyInstance): void {
  app.addContentTypeParser('*', (request, _, done) =>
    isEmpty(request)
      ? done(null, undefined)
      : done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(request.headers['content-type'])),
  )
}
