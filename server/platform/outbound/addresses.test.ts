import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPublic, plainAddress } from './addresses.ts'
import { Allowlist } from './allowlist.ts'

const CLOSED = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::FFFF:10.0.0.1',
  '0:0:0:0:0:ffff:a9fe:a9fe',
  '::ffff:0:127.0.0.1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::8.8.8.8',
  '100::1',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:808:808::1',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  'not an address',
  '',
]
const OPEN = [
  '1.1.1.1',
  '8.8.8.8',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.1',
  '192.167.255.255',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2001:200::1',
  '2001:4860:4860::8888',
  '2606:4700:4700::1111',
  '2a00:1450::1',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
]

test('private addresses are distinguished from public ones', () => {
  for (const address of CLOSED) assert.equal(isPublic(plainAddress(address)), false, address)
  for (const address of OPEN) assert.equal(isPublic(plainAddress(address)), true, address)
})

test('the allowlist allows networks, addresses and hosts, and nothing else', () => {
  const list = new Allowlist(['10.1.0.0/16', '192.168.7.7', 'fd00::/8', '::1', 'Siem.Example.'])
  const cases: [string, string, boolean][] = [
    ['a.test', '10.1.255.255', true],
    ['a.test', '10.2.0.0', false],
    ['a.test', '192.168.7.7', true],
    ['a.test', '192.168.7.8', false],
    ['a.test', 'fd12::1', true],
    ['a.test', 'fe80::1', false],
    ['a.test', '::1', true],
    ['a.test', '127.0.0.1', false],
    ['siem.example', '127.0.0.1', true],
    ['SIEM.example.', '10.9.9.9', true],
    ['other.siem.example', '10.9.9.9', false],
    ['a.test', '8.8.8.8', true],
  ]
  for (const [host, address, expected] of cases)
    assert.equal(list.admits(host, address), expected, `${host} ${address}`)
  assert.equal(new Allowlist(['127.0.0.1']).hasAddress(plainAddress('::ffff:127.0.0.1')), true)
})

test('an invalid entry is named', () => {
  for (const entry of ['10.0.0.0/33', '10.0.0', '::1/129', 'http://x', 'a b', '-a', '1.2.3.4/8/8'])
    assert.throws(() => new Allowlist(['::1', entry]), new RegExp(`"${entry}" is invalid`), entry)
})
