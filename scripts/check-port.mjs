// Runs on the system's Node (18 or newer) before install.mjs: a port in use is told before anything is installed, and a
// service that still runs keeps the dependencies it was started with. All other mistakes are told by the service.
import { createServer } from 'node:net'
import { parseArgs } from 'node:util'

const string = { type: 'string' }
const { values } = parseArgs({ options: { port: string, host: string }, strict: false })
const port = values.port ?? (process.env.PORT || '8080')
const host = values.host ?? (process.env.HOST || '127.0.0.1')

if (!values.help && /^\d{1,5}$/.test(port) && Number(port) < 65_536) {
  const probe = createServer()
  probe.once('error', ({ code }) => {
    if (code !== 'EADDRINUSE') return
    process.stderr.write(
      `gatehouse: Port ${port} on ${host} is in use; choose another with --port or PORT\n`,
    )
    process.exitCode = 1
  })
  probe.listen(Number(port), host, () => probe.close())
}
