import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sealEvents } from '../../server/insights/index.ts'
import { openDb } from '../../server/platform/db/index.ts'
import { connectionsOf } from '../../server/platform/postgres/embedded.ts'
import { profileFlags, type Settings } from '../benchmark.ts'
import { addGroups, addNodes, addPeople, finish, idSql, series } from '../directory/world.ts'
import { asOwner, copyEvents, makeOrganizations } from '../insights/dataset.ts'
import { generate } from '../insights/generator.ts'
import { keyHeader, type Service, startService, temporaryDataDir } from '../service.ts'

// An organization with something in every list of the console, large where organizations grow large.

export const ADMINISTRATOR = { email: 'admin@example.com', password: 'Tangled-Orchard-58' }
const PEOPLE = 100_000
const GROUPS = 200
const IN_A_GROUP = 50
const FEW = 100

const addDevices = (count: number) => `
  insert into systems (organization_id, id, display_name, hostname, os, os_family, version, arch, agent_version, last_contact)
  select $1, ${idSql('system', 'i')}, 'device ' || i, 'host-' || i, 'Debian', 'linux', '13', 'arm64', '1.0.0', now()
    from ${series(1, count)}`

/** Kinds that nobody has thousands of, through the API. */
async function addFew({ url, apiKey }: Service, organizationId: string): Promise<void> {
  const post = async (path: string, body: object) => {
    const response = await fetch(`${url}/api/${path}`, {
      method: 'POST',
      headers: {
        ...keyHeader(apiKey),
        'x-org-id': organizationId,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  }
  for (let n = 1; n <= FEW; n++) {
    await post('commands', { name: `Command ${n}`, command: 'uptime' })
    await post('applications', {
      name: 'bookmark',
      displayLabel: `Application ${n}`,
      ssoUrl: `https://application-${n}.example.com/`,
      active: true,
    })
  }
}

async function load(service: Service, people: number, events: number): Promise<string> {
  const { dataDir } = service
  process.stdout.write(
    `  loading ${people.toLocaleString('en')} people and ${events.toLocaleString('en')} events …\n`,
  )
  const organizations = await makeOrganizations(service)
  const [organizationId] = organizations as [string]
  await asOwner(dataDir, async (client) => {
    const run = (text: string) => client.query(text, [organizationId])
    await addPeople(run, people)
    await addGroups(run, Array(GROUPS).fill(Math.min(people, IN_A_GROUP)))
    await run(addNodes('system', 1, people / 2))
    await run(addDevices(people / 2))
    await finish(client)
  })
  await addFew(service, organizationId)
  await copyEvents(dataDir, organizations, generate(organizations, events, new Date()))
  const db = openDb(connectionsOf(dataDir).service, { max: 2 })
  await sealEvents(db)
  await db.close()
  await asOwner(dataDir, async (client) => {
    await client.query('vacuum full events')
    await client.query('vacuum analyze')
  })
  return organizationId
}

export async function openWorld(settings: Settings) {
  const { users, events, dataDir } = settings
  const place = dataDir ? { dataDir, remove: () => {} } : temporaryDataDir()
  mkdirSync(place.dataDir, { recursive: true, mode: 0o711 })
  const service = await startService(place.dataDir, profileFlags(settings), {
    GATEHOUSE_ADMIN_EMAIL: ADMINISTRATOR.email,
    GATEHOUSE_ADMIN_PASSWORD: ADMINISTRATOR.password,
  })
  const close = async () => {
    await service.stop()
    place.remove()
  }
  try {
    const people = users ?? PEOPLE
    const note = join(place.dataDir, 'bench-web.json')
    if (!existsSync(note)) {
      const organizationId = await load(service, people, events)
      writeFileSync(note, JSON.stringify({ organizationId, people }))
    }
    const loaded = JSON.parse(readFileSync(note, 'utf8')) as {
      organizationId: string
      people: number
    }
    return { url: service.url, ...loaded, close }
  } catch (error) {
    await close()
    throw error
  }
}
