import fastify from 'fastify'
import { codeOf, OperatorError } from '../../server/platform/errors.ts'
import { assetRoutes } from '../../server/signon/index.ts'
import { spRoutes } from './routes.ts'

/** The service provider as a separate process, on the loopback interface. */
export async function serveSp({ port, idp }: { port: number; idp: string }) {
  const http = fastify({ forceCloseConnections: true })
  const sp = `http://localhost:${port}`
  await http.register(assetRoutes)
  await http.register(spRoutes, { sp, idp })
  try {
    await http.listen({ port, host: 'localhost' })
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE') throw error
    throw new OperatorError(`Port ${port} is in use; choose another with --port`)
  }
  return { sp, close: () => http.close() }
}
