import fastify, { type FastifyPluginAsync } from 'fastify'
import { codeOf, OperatorError } from '../../server/platform/errors.ts'
import { randomToken } from '../../server/platform/secrets.ts'
import { authorize, tokenRoutes } from './authorize.ts'
import { registerFaults } from './fault-hooks.ts'
import { type FaultSettings, Faults } from './faults.ts'
import type { Lab } from './lab.ts'
import { pageRoutes } from './page-routes.ts'
import { PROFILES, type Profile, type ProfileName } from './profiles.ts'
import { scimRoutes } from './routes.ts'
import { Store } from './store.ts'

const MAX_BODY = 1 << 20
const BASE = '/scim/v2'

interface LabOptions {
  /** 0: any free port. */
  port?: number
  host?: string
  profile?: ProfileName
  token?: string
  /** On top of the faults of the profile. */
  faults?: FaultSettings
  now?: () => number
}

function newLab(options: LabOptions, stopping: AbortSignal): Lab {
  const { profile = 'standard', token = randomToken(24), now = Date.now } = options
  const lab: Lab = {
    profile: PROFILES[profile],
    name: profile,
    store: new Store(now),
    faults: new Faults(),
    token,
    now,
    stopping,
    url: '',
    use(name) {
      const chosen: Profile = PROFILES[name]
      lab.profile = chosen
      lab.name = name
      lab.faults.set({ ...chosen.faults, ...options.faults })
    },
  }
  lab.use(profile)
  return lab
}

/** A SCIM service provider in memory, with the deviations of a profile. Not part of the service. */
async function createScimLab(options: LabOptions) {
  const stop = new AbortController()
  const lab = newLab(options, stop.signal)
  const http = fastify({
    forceCloseConnections: true,
    bodyLimit: MAX_BODY,
    routerOptions: {
      maxParamLength: 500,
      querystringParser: (text) => Object.fromEntries(new URLSearchParams(text)),
    },
  })
  const tokens = new Map<string, number>()
  await http.register(async (app) => {
    registerFaults(app, lab)
    await app.register(tokenRoutes, { lab, tokens })
    await app.register(
      async (scim) => {
        scim.addHook('onRequest', authorize(lab, tokens))
        await scim.register(scimRoutes, { lab })
      },
      { prefix: BASE },
    )
  })
  await http.register(pageRoutes, { lab })
  const close = async () => {
    stop.abort()
    await http.close()
  }
  return { lab, http, close }
}

/** On a port of its own. */
export async function startScimLab(options: LabOptions = {}) {
  const { port = 0, host = '127.0.0.1' } = options
  const { lab, http, close } = await createScimLab(options)
  try {
    const address = await http.listen({ port, host })
    lab.url = `${address}${BASE}`
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE') throw error
    throw new OperatorError(`Port ${port} is in use; choose another with --port`)
  }
  const { url, token, store, faults, use } = lab
  return { url, page: new URL('/', url).href, token, store, faults, use, close }
}

/** As routes of another server, below the prefix that they are registered with; its hooks and parsers are left out. */
export async function mountScimLab(options: LabOptions = {}) {
  const { lab, http, close } = await createScimLab(options)
  await http.ready()
  const routes: FastifyPluginAsync = async (app) => {
    const { prefix } = app
    const config = { public: true as const }
    app.addHook('onClose', close)
    app.addHook('onRequest', async ({ raw }, reply) => {
      const path = raw.url!.slice(prefix.length)
      // Links of the page are relative.
      if (path === '') return reply.redirect(`${prefix}/`)
      raw.url = path
      reply.hijack()
      http.routing(raw, reply.raw)
    })
    // Never reached; without routes there would be no hook.
    for (const path of ['/', '/*']) app.all(path, { config }, () => {})
  }
  return {
    routes,
    token: lab.token,
    store: lab.store,
    /** The base URL below the address of the page. */
    listensAt(page: string): string {
      lab.url = `${page}${BASE}`
      return lab.url
    },
  }
}
