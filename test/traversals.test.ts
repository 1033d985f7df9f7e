import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { traversalTexts } from './traversals/traversals.ts'

for (const [file, text] of traversalTexts())
  test(`${file} is the statement that runs (node_modules/.bin/node test/traversals/traversals.ts)`, () => {
    assert.equal(readFileSync(file, 'utf8'), text)
  })
