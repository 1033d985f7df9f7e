import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'

// Signatures only, sequentially on one core: the minimum cost of a response.

const { seconds } = JSON.parse(readFileSync(0, 'utf8')) as { seconds: number }
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
// About as long as a SignedInfo.
const data = randomBytes(700)

const start = performance.now()
let made = 0
while (performance.now() - start < seconds * 1000) {
  sign('sha256', data, privateKey)
  made++
}
process.stdout.write(JSON.stringify({ perSecond: (made / (performance.now() - start)) * 1000 }))
