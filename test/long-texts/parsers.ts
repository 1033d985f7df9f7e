import { Readable } from 'node:stream'
import { parseCookie } from 'cookie'
import { Compile } from 'typebox/compile'
import { readMessages } from '../../cli/events-messages.ts'
import { parseFilter } from '../../lab/scim/filter.ts'
import { applyPatch } from '../../lab/scim/patch.ts'
import { TYPES } from '../../lab/scim/schemas.ts'
import { slugOf } from '../../server/applications/slug.ts'
import { readSpMetadata } from '../../server/applications/sp-metadata.ts'
import { checkSchedule } from '../../server/commands/schedule.ts'
import { reader } from '../../server/imports/incoming.ts'
import { nextRun } from '../../server/imports/settings.ts'
import { CsvRecords } from '../../server/imports/sources/csv.ts'
import { JsonLines } from '../../server/imports/sources/json-lines.ts'
import { nextLink } from '../../server/imports/sources/link-header.ts'
import { readEntries } from '../../server/imports/workday/entries.ts'
import { toWorker } from '../../server/imports/workday/workers.ts'
import { readLines } from '../../server/insights/ingest/lines.ts'
import { readEventQuery } from '../../server/insights/query/event-query.ts'
import { parseUserAgent } from '../../server/insights/record/useragent.ts'
import { parseTime } from '../../server/insights/times.ts'
import { Params } from '../../server/oidc/params.ts'
import { addressKey } from '../../server/platform/address-key.ts'
import { row } from '../../server/platform/csv.ts'
import { DEFAULT_LIMITS } from '../../server/platform/limits.ts'
import { readListV1, readListV2, readSearch } from '../../server/platform/list/query.ts'
import { checkRegex } from '../../server/platform/list/regex.ts'
import { compileMapping } from '../../server/platform/mapping/index.ts'
import { parsePath } from '../../server/platform/mapping/paths.ts'
import { plainAddress } from '../../server/platform/outbound/addresses.ts'
import { readRetryAfter } from '../../server/platform/outbound/retry.ts'
import { readCertificate, readCertificates } from '../../server/platform/x509/certificate.ts'
import { readXml } from '../../server/platform/xml.ts'
import { readPost, readRedirect } from '../../server/sso/inbound/inbound.ts'
import { parseAuthorization, parseDate } from '../../server/systems/signature.ts'
import { isCommonPassword } from '../../server/users/passwords/common-passwords.ts'
import { UserPut } from '../../server/users/schema.ts'
import { userResource } from '../../server/users/store.ts'
import { checkPublicKey } from '../../server/users/write.ts'

const NOW = Date.parse('2026-11-19T12:00:00Z')
const { list, events, saml, metadata } = DEFAULT_LIMITS
/** So that the text itself is read, not only its length. */
const wide = <T extends object>(limits: T) =>
  Object.fromEntries(Object.keys(limits).map((name) => [name, 1e7])) as T
const userPut = Compile(UserPut)

async function* bytesOf(text: string) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}
async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

type Parse = (text: string) => unknown

/** Each parser of the service, by the way it gets texts of others. A refusal is an answer. */
export const PARSERS: Record<string, Parse> = {
  'CSV of an import': async (text) => {
    const parser = new CsvRecords(null)
    for await (const piece of bytesOf(text)) parser.push(piece.toString())
    await parser.end()
  },
  'CSV below a header': async (text) => {
    const parser = new CsvRecords(',')
    parser.push('a,b\n')
    parser.push(text)
    await parser.end()
  },
  'writing CSV': (text) => row([text, text]),
  'JSON lines of an import': (text) => {
    const parser = new JsonLines()
    parser.push(text)
    parser.end()
  },
  ingest: (text) => drain(readLines(Readable.from(bytesOf(text)), 1e7)),
  'ingest of an array': (text) => drain(readLines(Readable.from(bytesOf(`[${text}`)), 1e7)),
  'events at the command line': (text) =>
    drain(readMessages(Readable.toWeb(Readable.from(bytesOf(text))) as ReadableStream<Uint8Array>)),
  'Workday report': (text) => drain(readEntries(bytesOf(`{"Report_Entry":[${text}`))),
  'Workday names': (text) => toWorker({ Worker: text, [text]: '1' }),
  'Link header': nextLink,
  'Link parameters': (text) => nextLink(`<a>;${text}`),
  'Retry-After header': (text) => readRetryAfter(text, NOW),
  'search term': (text) =>
    readEventQuery(
      {
        service: ['all'],
        start_time: '2026-01-01T00:00:00Z',
        search_term: { and: [{ a: text }, { [text]: 'a' }] },
      },
      NOW,
      wide(events),
    ),
  'event query': (text) =>
    readEventQuery({ service: [text], start_time: text, sort: text, fields: text }, NOW, events),
  times: parseTime,
  'list of v1': (text) =>
    readListV1(userResource, { filter: text, sort: text, fields: text }, list),
  'list of v2': (text) =>
    readListV2(userResource, { filter: text, sort: text, fields: text }, list),
  'search of v1': (text) =>
    readSearch(userResource, {}, { filter: text, searchFilter: text }, list),
  'regular expression in a search': (text) => checkRegex('a', text, list),
  'SCIM filter of the lab': (text) => parseFilter(text, TYPES.Users.attributes),
  'SCIM path of the lab': (text) =>
    applyPatch(TYPES.Users, {}, [{ op: 'add', path: text, value: 'a' } as never]),
  'user agent': (text) => parseUserAgent(text),
  XML: (text) => readXml(text, wide(metadata), (root) => root.name),
  'XML inside an element': (text) => readXml(`<a ${text}`, wide(metadata), (root) => root.name),
  'XML text': (text) => readXml(`<a>${text}</a>`, wide(metadata), (root) => root.name),
  'SAML metadata': (text) => readSpMetadata(text, wide(metadata)),
  'SAML redirect': (text) => readRedirect(text, wide(saml)),
  'SAML redirect message': (text) =>
    readRedirect(`SAMLRequest=${encodeURIComponent(text)}&RelayState=${text}`, wide(saml)),
  'SAML POST': (text) => readPost({ SAMLRequest: text, RelayState: text }, wide(saml)),
  'cron of a command': (text) =>
    checkSchedule({ launchType: 'repeated', schedule: text, scheduleYear: null }, new Date(NOW)),
  'cron of an import': (text) => nextRun(text, new Date(NOW)),
  'path of a mapping': parsePath,
  'filter in a path': (text) => parsePath(`a[type eq "${text}"].b`),
  mapping: (text) =>
    compileMapping([{ target: 'a', value: { split: { source: text }, separator: text } }]),
  'texts that a mapping reads': (text) =>
    reader([{ target: 'username', value: { lower: { source: 'a' } } }])({ a: text.slice(0, 9999) }),
  'record of an import': (text) =>
    reader([{ target: 'username', value: { source: 'a' } }])({ a: text }),
  'SSH key': checkPublicKey,
  'SSH key with a comment': (text) => checkPublicKey(`ssh-ed25519 AAAA${text} ${text}`),
  certificate: (text) => readCertificate(text, 'a'),
  certificates: (text) => readCertificates(`-----BEGIN ${text}-----${text}`, 'a'),
  cookie: parseCookie,
  'parameters of OpenID Connect': (text) => new Params(new URLSearchParams(text)).required(text),
  'signature of a system': parseAuthorization,
  'date of a system': (text) => parseDate(text, NOW),
  address: plainAddress,
  'key of an address': addressKey,
  'URL of an application': slugOf,
  password: isCommonPassword,
  'fields of a user': (text) => userPut.Check({ username: text, email: text, firstname: text }),
}
