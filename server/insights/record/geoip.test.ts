import assert from 'node:assert/strict'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { tempDirectory } from '../../../test/database.ts'
import { startApp } from '../../../test/harness.ts'
import { mmdb } from '../../../test/insights/mmdb-writer.ts'
import { OperatorError } from '../../platform/errors.ts'
import { createLog } from '../../platform/log.ts'
import { GeoIpDatabase } from './geoip.ts'

const LONDON = {
  city: { names: { en: 'London', de: 'London' } },
  continent: { code: 'EU', names: { en: 'Europe' } },
  country: { iso_code: 'GB', names: { en: 'United Kingdom' } },
  location: { latitude: 51.5142, longitude: -0.0931, time_zone: 'Europe/London' },
  subdivisions: [{ iso_code: 'ENG', names: { en: 'England' } }],
}
const TOKYO = {
  continent: { code: 'AS' },
  country: { iso_code: 'JP' },
  location: { latitude: 35.685, longitude: 139.7514, time_zone: 'Asia/Tokyo' },
}
const networks = { '81.2.69.0/24': LONDON, '2a02:fe00::/24': TOKYO, '10.0.0.0/8': LONDON }

const directory = tempDirectory()
const path = join(directory, 'places.mmdb')
writeFileSync(path, mmdb(networks))
const app = await startApp({
  env: { GATEHOUSE_GEOIP_DATABASE: path, GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1' },
})

const inEngland = {
  city: 'london',
  continent_code: 'eu',
  country_code: 'gb',
  latitude: 51.5142,
  longitude: -0.0931,
  region_code: 'eng',
  region_name: 'england',
  timezone: 'europe/london',
}
const inJapan = {
  continent_code: 'as',
  country_code: 'jp',
  latitude: 35.685,
  longitude: 139.7514,
  timezone: 'asia/tokyo',
}

test('events have the location of public addresses only', async () => {
  const org = await app.newOrganization()
  const cases: [string, object | undefined][] = [
    ['81.2.69.142', inEngland],
    ['::ffff:81.2.69.142', inEngland],
    ['2a02:fe00::1', inJapan],
    ['81.2.70.1', undefined],
    ['2a03::1', undefined],
    ['10.1.2.3', undefined],
    ['127.0.0.1', undefined],
    ['fd00::1', undefined],
  ]
  for (const [at, [address, place]] of cases.entries()) {
    const res = await org.post(
      '/api/v2/roles',
      { name: `Role ${at}`, scopes: ['users.readonly'] },
      { 'x-forwarded-for': address },
    )
    assert.equal(res.statusCode, 200)
    const event = (await org.events()).at(-1)!
    assert.equal(event.client_ip, address)
    assert.deepEqual(event.geoip, place, address)
    assert.equal('geoip' in event, place !== undefined)
  }
  const found = await org.post('/insights/directory/v1/events', {
    service: ['all'],
    start_time: new Date(Date.now() - 3_600_000).toISOString(),
    search_term: { and: [{ 'geoip.country_code': 'GB' }, { 'geoip.timezone': 'Europe/London' }] },
  })
  assert.equal(found.json().length, 2)
})

test('ingested events with an address get a location unless they have one', async () => {
  const org = await app.newOrganization()
  const event = { event_type: 'x', timestamp: new Date().toISOString(), client_ip: '81.2.69.1' }
  const own = { country_code: 'fr' }
  const lines = [
    { ...event, id: 'none', service: 'sso' },
    { ...event, id: 'own', service: 'sso', geoip: own },
    { ...event, id: 'null', service: 'sso', geoip: null },
    { ...event, id: 'not listed', service: 'notifications' },
    { ...event, id: 'no address', service: 'sso', client_ip: null },
    { ...event, id: 'odd', service: 'sso', client_ip: '81.2.69.1, 10.0.0.1' },
    { ...event, service: 'radius' },
  ]
  const send = async (documents: object[]) =>
    (await org.post('/insights/directory/v1/ingest', documents)).json()
  assert.equal((await send(lines)).stored, lines.length)
  const stored = await org.events()
  const places = new Map(stored.map(({ id, geoip }) => [id, geoip]))
  assert.deepEqual(places.get('none'), inEngland)
  assert.deepEqual(places.get('own'), own)
  assert.equal(places.get('null'), null)
  for (const id of ['not listed', 'no address', 'odd']) assert.equal(places.get(id), undefined, id)
  assert.deepEqual(places.get(undefined), inEngland)
  // Also without an id: the added location does not make it another event.
  assert.equal((await send(lines)).duplicates, lines.length)
  assert.equal((await send(stored)).duplicates, lines.length)
})

const lines: string[] = []
const log = createLog(
  'info',
  new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk))
      done()
    },
  }),
)

test('a replaced database is reloaded; a broken or missing one is logged once and ignored', async () => {
  const file = join(directory, 'replaced.mmdb')
  writeFileSync(file, mmdb({ '81.2.69.0/24': LONDON }))
  const database = await GeoIpDatabase.open(file, log)
  assert.equal(database.lookup('81.2.69.1')?.country_code, 'GB')
  assert.equal(database.lookup('81.2.69.1'), database.lookup('81.2.69.1'), 'remembered')

  const next = join(directory, 'next.mmdb')
  writeFileSync(next, mmdb({ '81.2.69.0/24': TOKYO, '81.2.70.0/24': LONDON }))
  assert.equal(database.lookup('81.2.70.1'), undefined)
  renameSync(next, file)
  await database.refresh()
  assert.equal(database.lookup('81.2.69.1')?.country_code, 'JP')
  assert.equal(database.lookup('81.2.70.1')?.country_code, 'GB')

  const warnings = () => lines.filter((line) => line.includes('cannot be read')).length
  writeFileSync(file, 'half a file')
  await database.refresh()
  await database.refresh()
  assert.equal(warnings(), 1)
  rmSync(file)
  await database.refresh()
  assert.equal(warnings(), 2)
  assert.equal(database.lookup('81.2.69.1')?.country_code, 'JP')

  writeFileSync(file, mmdb({ '81.2.69.0/24': LONDON }))
  await database.refresh()
  assert.equal(database.lookup('81.2.69.1')?.country_code, 'GB')
  database.close()
})

test('an IPv4-only database has no IPv6 locations; a damaged one fails no lookup', async () => {
  const file = join(directory, 'four.mmdb')
  writeFileSync(file, mmdb({ '81.2.69.0/24': LONDON, '32.0.0.0/4': TOKYO }, 4))
  const database = await GeoIpDatabase.open(file, log)
  assert.equal(database.lookup('81.2.69.1')?.city, 'London')
  assert.equal(database.lookup('2a02:fe00::1'), undefined)
  for (const odd of ['', 'localhost', '81.2.69', '81.2.69.1:80', 'fe80::1%eth0', '::']) {
    assert.equal(database.lookup(odd), undefined, odd)
  }
  database.close()

  const bytes = mmdb({ '81.2.69.0/24': LONDON })
  // Corrupts the data section: types that do not exist.
  const start = bytes.indexOf('London') - 40
  bytes.fill(0x1f, start, start + 60)
  writeFileSync(file, bytes)
  const damaged = await GeoIpDatabase.open(file, log)
  damaged.lookup('81.2.69.1')
  damaged.close()
})

test('a start without a usable database stops with one line that names the setting', async () => {
  const text = join(directory, 'text.mmdb')
  writeFileSync(text, 'these are no places')
  for (const bad of [join(directory, 'missing.mmdb'), text, directory]) {
    await assert.rejects(GeoIpDatabase.open(bad, log), (error: Error) => {
      assert.ok(error instanceof OperatorError)
      assert.match(error.message, /^GATEHOUSE_GEOIP_DATABASE: [^\n]+$/)
      return true
    })
  }
})
