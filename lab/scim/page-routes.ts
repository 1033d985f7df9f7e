import { readFileSync } from 'node:fs'
import type { FastifyPluginAsync } from 'fastify'
import { registerFormBody } from '../../server/platform/http/form-body.ts'
import { DEFAULT_LIMITS } from '../../server/platform/limits.ts'
import { ScimError } from './errors.ts'
import type { Lab } from './lab.ts'
import { profilesPage, statePage } from './pages.ts'
import { isProfileName } from './profiles.ts'

const STYLES = readFileSync(new URL('page.css', import.meta.url), 'utf8')
const POLICY =
  "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** Pages for people; faults do not concern them. Links are relative: another server may serve them below a path. */
export const pageRoutes: FastifyPluginAsync<{ lab: Lab }> = async (app, { lab }) => {
  const { store } = lab
  await registerFormBody(app, DEFAULT_LIMITS)

  // Any web page can make a browser send a form to this machine.
  app.addHook('preHandler', async ({ method, headers }, reply) => {
    const isForeign = headers.origin !== undefined && headers.origin !== `http://${headers.host}`
    if (method === 'POST' && isForeign) return reply.code(403).send('Forms of the lab only')
  })

  for (const [path, page] of [
    ['/', statePage],
    ['/profiles', profilesPage],
  ] as const)
    app.get(path, (_, reply) =>
      reply
        .header('content-security-policy', POLICY)
        .type('text/html; charset=utf-8')
        .send(page(lab)),
    )
  app.get('/page.css', (_, reply) => reply.type('text/css; charset=utf-8').send(STYLES))

  app.post<{ Params: { name: string } }>('/profiles/:name', ({ params: { name } }, reply) => {
    if (!isProfileName(name)) throw new ScimError(404, `There is no profile ${name}`)
    lab.use(name)
    return reply.redirect('../', 303)
  })

  const actions: Record<string, (id: string) => unknown> = {
    activate: (id) => store.editByHand('Users', id, { active: true }),
    deactivate: (id) => store.editByHand('Users', id, { active: false }),
    'delete-user': (id) => store.removeByHand('Users', id),
    'delete-group': (id) => store.removeByHand('Groups', id),
  }
  for (const [name, act] of Object.entries(actions))
    app.post(`/by-hand/${name}`, ({ body }, reply) => {
      const id = String(Object(body).id)
      // Somebody else may have been faster.
      if (store.users.has(id) || store.groups.has(id)) act(id)
      return reply.redirect('../', 303)
    })
}
