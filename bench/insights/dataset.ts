import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { clientConfig } from '../../server/platform/db/index.ts'
import { connectionsOf } from '../../server/platform/postgres/embedded.ts'
import { firstOrganization, keyHeader, type Service } from '../service.ts'
import { type GeneratedEvent, generate } from './generator.ts'

const ORGANIZATIONS = 20

export async function asOwner<T>(dataDir: string, work: (client: pg.Client) => Promise<T>) {
  const client = new pg.Client(clientConfig(connectionsOf(dataDir).owner))
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Twenty organizations of the first administrator's provider; the first becomes the largest. */
export async function makeOrganizations(service: Service): Promise<string[]> {
  const headers = { ...keyHeader(service.apiKey), 'content-type': 'application/json' }
  const self = (await (await fetch(`${service.url}/api/users/getSelf`, { headers })).json()) as {
    provider?: string
  }
  const ids = [await firstOrganization(service)]
  while (ids.length < ORGANIZATIONS) {
    const response = await fetch(`${service.url}/api/v2/providers/${self.provider}/organizations`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: `Organization ${ids.length}` }),
    })
    if (!response.ok) throw new Error(`No organization was made: ${await response.text()}`)
    ids.push(((await response.json()) as { id: string }).id)
  }
  return ids
}

const copyText = (text: string) =>
  text
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')

function* copyLines(
  organizations: readonly string[],
  events: Iterable<GeneratedEvent>,
): Generator<string> {
  let block = ''
  for (const { organization, timestamp, id, service, document } of events) {
    block += `${organizations[organization]}\t${timestamp.toISOString()}\t${id}\t${service}\t${copyText(document)}\n`
    if (block.length < 65_536) continue
    yield block
    block = ''
  }
  yield block
}

const copyInto = (
  client: pg.Client,
  organizations: readonly string[],
  events: Iterable<GeneratedEvent>,
): Promise<void> =>
  pipeline(
    Readable.from(copyLines(organizations, events)),
    client.query(
      copyFrom('copy events (organization_id, timestamp, id, service, document) from stdin'),
    ),
  )

/** As fast as PostgreSQL accepts them. */
export const copyEvents = (
  dataDir: string,
  organizations: readonly string[],
  events: Iterable<GeneratedEvent>,
): Promise<void> => asOwner(dataDir, (client) => copyInto(client, organizations, events))

/** The events, and as a baseline the obvious design: a table with a jsonb column and the same index. */
export async function loadEvents(
  dataDir: string,
  organizations: string[],
  count: number,
): Promise<void> {
  await asOwner(dataDir, async (client) => {
    await client.query('truncate events')
    await copyInto(client, organizations, generate(organizations, count, new Date()))
    await client.query('drop table if exists plain_events')
    await client.query(
      'create table plain_events (organization_id text not null, timestamp timestamptz(3) not null, id uuid not null, service text not null, document jsonb not null)',
    )
    await client.query(
      'insert into plain_events select organization_id, timestamp, id, service, document::jsonb from events order by timestamp, id',
    )
    await client.query('alter table plain_events add primary key (organization_id, timestamp, id)')
    // Outside a transaction, before measuring: both sides start with fresh statistics.
    await client.query('vacuum analyze plain_events')
    await client.query('vacuum analyze events')
    await client.query('checkpoint')
  })
}
