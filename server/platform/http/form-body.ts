import formbody from '@fastify/formbody'
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify'
import type { Limits } from '../limits.ts'

/** Per plugin: other routes reject forms, because any web page can make a browser send one. */
export async function registerFormBody(
  app: FastifyInstance,
  { forms }: Pick<Limits, 'forms'>,
): Promise<void> {
  await app.register(formbody, { bodyLimit: forms.bytes })
}

const isEmpty = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0'

function unsupported(type: string | undefined): Error {
  const error = new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(type)
  const found = type ? `The Content-Type of the body is ${type}` : 'The body has no Content-Type'
  error.message = `${found}; send Content-Type: application/json`
  return error
}

/** An empty Content-Type counts as absent: some clients send it on requests without a body. */
export function ignoreEmptyType(app: FastifyInstance): void {
  app.addHook('onRequest', ({ headers }, _, done) => {
    if (headers['content-type']?.trim() === '') delete headers['content-type']
    done()
  })
}

/** Bodies are JSON unless a route says otherwise. Another type without a body is fine: some clients send that. */
export function refuseOtherBodies(app: FastifyInstance): void {
  app.addContentTypeParser('*', (request, _, done) =>
    isEmpty(request) ? done(null, undefined) : done(unsupported(request.headers['content-type'])),
  )
}
