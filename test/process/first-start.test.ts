import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDataDirectory, type Service, startService } from './service.ts'

const PASSWORD = 'Tangled-Orchard-58'

function tokenOf({ output }: Service): string {
  const found = /\/console\/password\?token=(\S+)/.exec(output.stdout)
  assert.ok(found, output.stdout)
  return found[1]!
}

test('the first administrator chooses a password by a link that each start prints until then', async () => {
  const GATEHOUSE_DATA_DIR = newDataDirectory()
  const settings = { GATEHOUSE_DATA_DIR, GATEHOUSE_ADMIN_PASSWORD: '' }
  const first = await startService(settings)
  const older = tokenOf(first)
  first.child.kill('SIGTERM')
  await first.exited
  const service = await startService(settings)
  const newer = tokenOf(service)
  assert.notEqual(newer, older)
  const needed = async () =>
    ((await (await service.call('GET', '/auth/setup')).json()) as { passwordNeeded: boolean })
      .passwordNeeded
  assert.equal(await needed(), true)
  const choose = (token: string) =>
    service.call('POST', '/auth/password/reset', { token, password: PASSWORD })
  // Several processes may have printed a link each: any of them works, and then none.
  assert.equal((await choose(older)).status, 200)
  assert.equal((await choose(newer)).status, 400)
  assert.equal(await needed(), false)
  const email = /e-mail {8}(\S+)/.exec(first.output.stdout)![1]
  const signedIn = await service.call('POST', '/auth/sign-in', { email, password: PASSWORD })
  assert.equal(((await signedIn.json()) as { status: string }).status, 'signed_in')
})
