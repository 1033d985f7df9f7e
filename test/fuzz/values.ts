import type { Random } from '../insights/random.ts'

/** Placeholder for a number that JSON can express but JavaScript cannot represent; see `written`. */
const RAW = 'raw number '

const NUMBERS = [
  0,
  -1,
  0.5,
  -0.0,
  2 ** 31,
  2 ** 53,
  2 ** 53 + 2,
  -(2 ** 63),
  9.3e18,
  1e21,
  1.7e308,
  `${RAW}1e309`,
  `${RAW}-1e309`,
  `${RAW}99999999999999999999999999`,
  `${RAW}1e-400`,
]

/** Members that JavaScript objects inherit, or that the runtime looks up implicitly. */
export const ODD_NAMES = [
  'toString',
  'valueOf',
  'toJSON',
  'constructor',
  '__proto__',
  'prototype',
  'hasOwnProperty',
  'length',
  'then',
  'default',
  '$where',
  'a.b',
  '',
]

const TEXTS = [
  '',
  ' ',
  '0',
  '-1',
  '1e309',
  '99999999999999999999999999',
  '9007199254740993',
  'true',
  'null',
  'undefined',
  'NaN',
  '[object Object]',
  'constructor',
  '__proto__',
  'toString',
  'a\u0000b',
  'half \ud800 a pair',
  '\udc00',
  '\u202eright to left\u202c',
  'ß İ ı ﬀ \u0345',
  '👩‍👩‍👧',
  "'; drop table users; --",
  '%',
  '%00',
  '\\',
  '\\u0000',
  '$1',
  '(a+)+$',
  '[',
  '*',
  '../../etc/passwd',
  'a:b:c',
  'name:$eq:x',
  'constructor:eq:x',
  '__proto__:$regex:x',
  'a,b,,c',
  '-',
  '--name',
  '{"searchTerm":{"toString":1}}',
  '{',
  '9999-12-31T23:59:59Z',
  '-271821-04-20T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '2026-02-30T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '24:00',
  'infinity',
  'https://127.0.0.1:9/',
  'javascript:alert(1)',
  'ftp://127.0.0.1/',
  'http://[',
  '000000000000000000000000',
  'FFFFFFFFFFFFFFFFFFFFFFFF',
  '* * * * *',
  '\r\nx: y',
]

const deep = (levels: number): unknown => {
  let value: unknown = 'bottom'
  for (let at = 0; at < levels; at++) value = at % 2 === 0 ? [value] : { and: value }
  return value
}

export const hostileText = ({ below, pick, chance }: Random): string =>
  chance(0.06) ? pick(['x', 'é', '\\', '%', 'a,']).repeat(1 + below(20_000)) : pick(TEXTS)

const oddObject = (random: Random): unknown =>
  Object.fromEntries(random.some(ODD_NAMES).map((name) => [name, random.pick([1, null, 'x', {}])]))

/** Any JSON value. */
export function hostile(random: Random): unknown {
  const { below, pick, chance } = random
  const kinds: (() => unknown)[] = [
    () => null,
    () => pick([true, false]),
    () => pick(NUMBERS),
    () => pick(NUMBERS),
    () => hostileText(random),
    () => hostileText(random),
    () => hostileText(random),
    () => oddObject(random),
    () => ({ toString: 1, valueOf: 1 }),
    () => ({ value: oddObject(random) }),
    () => [],
    () => ({}),
    () => [oddObject(random), null],
    () => [[hostileText(random)], pick(NUMBERS)],
    () => (chance(0.3) ? deep(10 + below(200)) : deep(5)),
    () => (chance(0.2) ? Array(1 + below(2000)).fill(pick(TEXTS)) : [pick(TEXTS), pick(TEXTS)]),
  ]
  return pick(kinds)()
}

type Place = { holder: Record<string, unknown>; name: string }

function placesIn(value: unknown, found: Place[] = []): Place[] {
  if (typeof value !== 'object' || value === null) return found
  for (const name of Object.keys(value)) {
    const holder = value as Record<string, unknown>
    found.push({ holder, name })
    placesIn(holder[name], found)
  }
  return found
}

/** Mutates the value in one place. */
export function spoil(random: Random, value: unknown): unknown {
  const { pick, chance } = random
  const places = placesIn(value)
  if (places.length === 0 || chance(0.05)) return hostile(random)
  const { holder, name } = pick(places)
  const before = holder[name]
  const ways: (() => void)[] = [
    () => {
      holder[name] = hostile(random)
    },
    () => {
      holder[name] = hostile(random)
    },
    () => {
      holder[name] = [before]
    },
    () => {
      if (Array.isArray(holder)) holder.splice(0)
      else delete holder[name]
    },
    () => {
      // Assigning to __proto__ would not create a member.
      const value = { value: hostile(random), enumerable: true, writable: true, configurable: true }
      if (Array.isArray(holder)) holder.push(value.value)
      else Object.defineProperty(holder, pick(ODD_NAMES), value)
    },
    () => {
      holder[name] =
        typeof before === 'string'
          ? before + hostileText(random)
          : { ...Object(before), toString: 1 }
    },
    () => {
      holder[name] = Array(50).fill(before)
    },
  ]
  pick(ways)()
  return value
}

/** As JSON, with the placeholder numbers replaced. */
export const written = (value: unknown): string =>
  (JSON.stringify(value) ?? 'null').replaceAll(new RegExp(`"${RAW}([^"]*)"`, 'g'), '$1')
