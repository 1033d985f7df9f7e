import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express, { type RequestHandler } from 'express'
import SCIMMY from 'scimmy'
import SCIMMYRouters from 'scimmy-routers'

interface StoredResource {
  id: string
  userName: string
  displayName: string
  [attribute: string]: unknown
}
type Store = Map<string, StoredResource>

interface Stores {
  users: Store
  groups: Store
}

const { Resources, Schemas, Types } = SCIMMY

interface Target {
  id?: string
  filter?: { match(values: StoredResource[]): object[] }
}

/** SCIMMY leaves storage to its user. */
function handlers(storeOf: (stores: Stores) => Store, nameOf: 'userName' | 'displayName') {
  const existing = (store: Store, id: string) => {
    const found = store.get(id)
    if (!found) throw new Types.Error(404, '', `Resource ${id} not found`)
    return found
  }
  return {
    write({ id }: Target, data: object, stores: Stores): StoredResource {
      const store = storeOf(stores)
      const plain = JSON.parse(JSON.stringify(data))
      if (id !== undefined) existing(store, id)
      const name = String(plain[nameOf]).toLowerCase()
      for (const other of store.values())
        if (other.id !== id && String(other[nameOf]).toLowerCase() === name)
          throw new Types.Error(409, 'uniqueness', `${nameOf} is already in use`)
      const stored = { ...plain, id: id ?? randomUUID() }
      store.set(stored.id, stored)
      return stored
    },
    read({ id, filter }: Target, stores: Stores): StoredResource | StoredResource[] {
      const store = storeOf(stores)
      if (id !== undefined) return existing(store, id)
      const all = [...store.values()]
      return filter ? (filter.match(all) as StoredResource[]) : all
    },
    remove({ id = '' }: Target, stores: Stores): void {
      existing(storeOf(stores), id)
      storeOf(stores).delete(id)
    },
  }
}

// SCIMMY is one for the whole process, so each server passes its stores as context.
const users = handlers(({ users }) => users, 'userName')
const groups = handlers(({ groups }) => groups, 'displayName')
Resources.declare(Resources.User.extend(Schemas.EnterpriseUser, false))
  .ingress(users.write)
  .egress(users.read)
  .degress(users.remove)
Resources.declare(Resources.Group).ingress(groups.write).egress(groups.read).degress(groups.remove)

interface Options {
  token?: string
  /** Sees each request first, with its body parsed; not calling next() replaces the response. */
  intercept?: RequestHandler
}

/** An independent SCIM 2.0 service provider on loopback. */
export async function startScimServer({ token = 'scim-token', intercept }: Options = {}) {
  const stores: Stores = { users: new Map(), groups: new Map() }
  const requests: string[] = []
  const app = express()
  app.use((request, _, next) => {
    requests.push(`${request.method} ${decodeURIComponent(request.url)}`)
    next()
  })
  app.use(express.json({ type: ['application/scim+json', 'application/json'], limit: '10mb' }))
  if (intercept) app.use(intercept)
  const routers = new SCIMMYRouters({
    type: 'bearer',
    handler(request) {
      if (request.header('authorization') !== `Bearer ${token}`) throw new Error('Wrong token')
      return ''
    },
    context: () => stores,
  })
  app.use('/scim/v2', routers)
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/scim/v2`,
    token,
    ...stores,
    /** Method and URL of each request, decoded. */
    requests,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
