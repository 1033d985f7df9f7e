import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startApp } from '../harness.ts'
import { addApplication } from '../sso/world.ts'
import { addGroupOf, addUser, held, startLab } from './world.ts'

const run = promisify(execFile)
const guide = readFileSync('docs/provisioning.md', 'utf8')
/** The shell blocks that call the API. */
const blocks = [...guide.matchAll(/^```sh\n(.*?)^```/gms)]
  .map(([, text]) => text!)
  .filter((text) => /^api /m.test(text))

test('the commands of the guide work', async () => {
  const app = await startApp()
  const address = await app.listen()
  const lab = await startLab({ token: 'secret' })
  const org = await app.newOrganization()
  const { id: application } = await addApplication(org)
  const user = await addUser(org)
  const group = await addGroupOf(org, [user.id])
  const [, prelude] = /^(api\(\) .*)$/m.exec(guide)!
  assert.equal(blocks.length, 3)
  for (const block of blocks) {
    const script = block.replace(/^APP=….*$/m, '')
    const env = {
      ...process.env,
      URL: address,
      KEY: org.apiKey,
      LAB: lab.url,
      APP: application,
      P: `${address}/api/v2/applications/${application}/provisioning`,
      USER_ID: user.id,
      GROUP_ID: group,
    }
    await run('bash', ['-euc', `${prelude}\n${script}`], { env })
    await app.runDueProvisioning()
  }
  assert.deepEqual(held(lab), { [user.username]: true })
})
