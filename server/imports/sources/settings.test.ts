import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Compile } from 'typebox/compile'
import { SourceConfig } from './schema.ts'
import { readSource, secretGoesTo } from './settings.ts'

const is = Compile(SourceConfig)
const baseUrl = 'https://hr.example/api'

test('settings get their defaults, and hold no secret', () => {
  const auth = { type: 'basic' as const, username: 'u', password: 'p' }
  const config: SourceConfig = { kind: 'rest', baseUrl, auth, paging: { type: 'page' } }
  assert.ok(is.Check(config))
  assert.deepEqual(readSource(config), {
    settings: {
      kind: 'rest',
      baseUrl,
      auth: { type: 'basic', username: 'u' },
      listPath: '',
      query: {},
      format: 'json',
      recordPath: null,
      delimiter: null,
      paging: {
        type: 'page',
        pageParam: 'page',
        sizeParam: 'limit',
        firstPage: 1,
        pageSize: 100,
        totalPath: null,
      },
      limits: { perSecond: null },
    },
    secret: 'p',
    urls: { baseUrl },
  })
  const tokenUrl = 'https://login.example/token'
  const oauth = { type: 'oauth' as const, tokenUrl, clientId: 'c', clientSecret: 's' }
  const scim = readSource({ kind: 'scim', baseUrl, auth: oauth })
  assert.equal(scim.secret, 's')
  assert.deepEqual(scim.urls, { baseUrl, 'auth.tokenUrl': tokenUrl })
  assert.ok(!JSON.stringify(scim.settings).includes('"s"'))
})

test('what a read returns can be sent again', () => {
  const rest = { kind: 'rest' as const, baseUrl, auth: { type: 'none' as const } }
  const paging = ['none', 'offset', 'page', 'cursor', 'link'] as const
  const auth = { type: 'bearer' as const, token: 't' }
  const configs: SourceConfig[] = [
    ...paging.map((type) => ({ ...rest, paging: { type } })),
    { ...rest, format: 'csv', delimiter: ';' },
    { kind: 'scim', baseUrl, auth },
    { kind: 'file', format: 'jsonl' },
  ]
  for (const config of configs) {
    const { settings } = readSource(config)
    assert.ok(is.Check(settings), JSON.stringify(settings))
    assert.deepEqual(readSource(settings).settings, settings)
  }
})

test('a source that cannot be read is refused', () => {
  const rest = { kind: 'rest' as const, baseUrl, auth: { type: 'none' as const } }
  const cases: [SourceConfig, string, RegExp][] = [
    [{ ...rest, recordPath: 'a..b' }, 'bad_source', /^recordPath: a\.\.b is not a path/],
    [{ ...rest, recordPath: 'a', format: 'csv' }, 'bad_source', /^recordPath: only JSON/],
    [{ ...rest, delimiter: ';' }, 'bad_source', /^delimiter: only CSV/],
    [{ ...rest, format: 'csv', paging: { type: 'cursor' } }, 'bad_source', /^paging\.cursorPath/],
    [{ ...rest, paging: { type: 'link', nextPath: '[' } }, 'bad_source', /^paging\.nextPath/],
    [{ ...rest, baseUrl: 'https://a:b@hr.example' }, 'bad_url', /^baseUrl/],
    [
      { ...rest, auth: { type: 'header', name: 'Host', value: 'x' } },
      'bad_header',
      /Host cannot be set/,
    ],
  ]
  for (const [config, reason, words] of cases) {
    assert.ok(is.Check(config), reason)
    assert.throws(() => readSource(config), { kind: 'invalid', reason, message: words })
  }
})

test('the schema refuses what no source has', () => {
  const rest = { kind: 'rest', baseUrl, auth: { type: 'none' } }
  for (const config of [
    { ...rest, listPath: 'a?b' },
    { ...rest, paging: { type: 'magic' } },
    { ...rest, paging: { type: 'offset', cursorPath: 'a' } },
    { ...rest, query: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [at, ''])) },
    { ...rest, secret: 's' },
    { kind: 'scim', baseUrl, auth: { type: 'none' } },
    { kind: 'file' },
    { kind: 'ldap' },
  ])
    assert.ok(!is.Check(config), JSON.stringify(config))
})

test('a secret is for a kind of authentication and a host', () => {
  const bearer = { type: 'bearer' as const }
  const goes = (config: SourceConfig) => secretGoesTo(readSource(config).settings)
  const here = goes({ kind: 'rest', baseUrl, auth: bearer })
  assert.equal(goes({ kind: 'rest', baseUrl: `${baseUrl}/v2`, auth: bearer }), here)
  assert.notEqual(goes({ kind: 'rest', baseUrl: 'https://evil.example', auth: bearer }), here)
  const basic = { type: 'basic' as const, username: 'u' }
  assert.notEqual(goes({ kind: 'rest', baseUrl, auth: basic }), here)
  assert.equal(goes({ kind: 'rest', baseUrl, auth: { type: 'none' } }), '')
  assert.equal(goes({ kind: 'file', format: 'csv' }), '')
})
