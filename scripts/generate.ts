import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { generatedFiles } from './generated-files.ts'

// npm run generate: writes all files that are generated from the code. A test fails when one is stale.
for (const [path, text] of Object.entries(await generatedFiles())) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  process.stdout.write(`${path}\n`)
}
