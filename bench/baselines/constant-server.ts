import Fastify from 'fastify'

// A bare Fastify with one route and no hooks: the upper bound of this framework on this machine.

const bytes = Number(process.argv[2])
const frame = JSON.stringify({ constant: '' }).length
const body = JSON.stringify({ constant: 'x'.repeat(Math.max(0, bytes - frame)) })

const app = Fastify()
app.get('/api/systemusers/:id', (_, reply) => {
  reply.type('application/json; charset=utf-8').send(body)
})
const address = await app.listen({ port: 0, host: '127.0.0.1' })
process.stdout.write(`listening on ${address}\n`)
process.on('SIGTERM', () => process.exit(0))
