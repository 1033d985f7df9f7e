import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type AppOptions, startApp } from './harness.ts'

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** The application, listening at its public URL. */
export async function startListening(options: AppOptions = {}) {
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const env = { ...options.env, GATEHOUSE_PUBLIC_URL: base }
  const app = await startApp({ ...options, env })
  await app.http.listen({ port, host: '127.0.0.1' })
  return { ...app, base }
}
