import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextLink } from './link-header.ts'

test('the next link is found among others', () => {
  const cases: [string, string | undefined][] = [
    ['<https://a.example/2>; rel="next"', 'https://a.example/2'],
    ['</p?a=1,2&b=3>; rel=next', '/p?a=1,2&b=3'],
    ['<a>; rel="prev", <b>; title="x, <c>; rel=next"; rel="last next"', 'b'],
    ['<a>;rel=first,<b> ; REL = "Next"', 'b'],
    ['<?page=2>; title="\\"quoted\\""; rel="next"', '?page=2'],
    ['<a>; rel="nextpage"', undefined],
    ['<a>; title="rel=next"', undefined],
    ['<a', undefined],
    ['', undefined],
  ]
  for (const [header, target] of cases) assert.equal(nextLink(header), target, header)
})
