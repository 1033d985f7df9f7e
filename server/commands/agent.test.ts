import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempDirectory } from '../../test/database.ts'
import { newKeyPair, run } from '../../test/enrol.ts'
import { startApp } from '../../test/harness.ts'
import { sql } from '../platform/db/sql.ts'

const app = await startApp()
const address = await app.listen()
/** The user running the tests; an agent that is not root can only run commands as itself. */
const me = (await run('id', ['-un'])).stdout.trim()

/** A machine with an agent, installed the documented way. */
async function newMachine() {
  const org = await app.newOrganization()
  const { connectKey } = (await org.get('/api/v2/connect-key')).json()
  const root = tempDirectory()
  const env = { GATEHOUSE_ROOT: root, GATEHOUSE_URL: address }
  const pipe = `curl -sf -H 'x-connect-key: ${connectKey}' ${address}/Kickstart | sh`
  const installed = await run('sh', ['-c', pipe], { env })
  assert.equal(installed.code, 0, installed.stderr)
  const directory = join(root, 'opt/gatehouse')
  const [, systemId = ''] =
    /"systemKey":"(\w+)"/.exec(readFileSync(join(directory, 'agent.conf'), 'utf8')) ?? []
  const agent = () => run('sh', [join(directory, 'agent.sh'), 'run'], { env: { TMPDIR: root } })
  /** Queues a command for this machine, run as the user running the tests. */
  const order = async (command: string, body: object = {}) => {
    const made = await org.post('/api/commands', { name: 'Test', command, ...body })
    assert.equal(made.statusCode, 200, made.body)
    const started = await org.post('/api/runCommand', {
      _id: made.json().id,
      systemIds: [systemId],
    })
    assert.equal(started.statusCode, 200, started.body)
    await app.db.tx(org.organizationId, (tx) =>
      tx.run(sql`update command_queue set run_as_name = ${me} where run_as_name = 'root'`),
    )
    return started.json().queueIds[0] as string
  }
  const results = async () => {
    const list = (await org.get('/api/commandresults?sort=_id&limit=100')).json().results
    const whole = list.map((result: { _id: string }) =>
      org.get(`/api/commandresults/${result._id}`),
    )
    return (await Promise.all(whole)).map((res) => res.json())
  }
  return { org, directory, systemId, agent, order, results }
}

test('a command reaches a real shell agent and its exit code and output come back', async () => {
  const { order, agent, results } = await newMachine()
  await order('echo "Größe: $((6 * 7))"; echo problem >&2; exit 3')
  const ran = await agent()
  assert.equal(ran.code, 0, ran.stderr)
  const [result, ...more] = await results()
  assert.deepEqual(more, [])
  assert.equal(result.exitCode, 3)
  assert.equal(result.response.data.output, 'Größe: 42\nproblem\n')
  assert.equal(result.response.error, '')

  // The queue is empty, and nothing runs twice.
  assert.equal((await agent()).code, 0)
  assert.equal((await results()).length, 1)
})

test('a command that exceeds its timeout is killed', async () => {
  const { order, agent, results } = await newMachine()
  await order('echo begun; sleep 60', { timeout: '1' })
  await agent()
  const [result] = await results()
  assert.equal(result.exitCode, 124)
  assert.equal(result.response.data.output, 'begun\n')
  assert.match(result.response.error, /1 seconds/)
})

test('the body of a trigger is passed to the command', async () => {
  const { org, systemId, agent, results } = await newMachine()
  const body = {
    name: 'T',
    command: 'echo "$GATEHOUSE_PAYLOAD"',
    launchType: 'trigger',
    trigger: 'go',
  }
  const { id } = (await org.post('/api/commands', body)).json()
  await org.post(`/api/v2/commands/${id}/associations`, { op: 'add', type: 'system', id: systemId })
  await org.post('/api/command/trigger/go', { to: 'it\'s "here"' })
  await app.db.tx(org.organizationId, (tx) =>
    tx.run(sql`update command_queue set run_as_name = ${me}`),
  )
  await agent()
  const [result] = await results()
  assert.deepEqual(JSON.parse(result.response.data.output), { to: 'it\'s "here"' })
})

test('an order not signed with the key from enrolment is not run', async () => {
  const { directory, order, agent, results } = await newMachine()
  await order('echo should not run')
  const key = readFileSync(join(directory, 'server.pub'), 'utf8')
  writeFileSync(join(directory, 'server.pub'), newKeyPair().publicKey)
  const ran = await agent()
  assert.match(ran.stderr, /without a valid signature was not run/)
  assert.deepEqual(await results(), [])
  writeFileSync(join(directory, 'server.pub'), key)
  await agent()
  assert.equal((await results()).length, 1)
})

test('a signed order for another system is not run', async () => {
  const { org, systemId, directory, order, agent, results } = await newMachine()
  const id = await order('echo should not run')
  const conf = join(directory, 'agent.conf')
  // Make the agent believe it is another system; the service still identifies it by its key.
  const script = join(directory, 'agent.sh')
  const text = readFileSync(script, 'utf8')
  writeFileSync(
    script,
    text.replace('[ "$(field system)" = "$SYSTEM_KEY" ]', '[ "$(field system)" = another ]'),
  )
  await agent()
  assert.deepEqual(await results(), [])
  assert.ok(readFileSync(conf, 'utf8').includes(systemId))
  assert.equal((await org.get('/api/v2/queuedcommand/workflows')).json().totalCount, 1)
  writeFileSync(script, text)
  await agent()
  assert.equal((await results())[0]._id, id)
})

test('a command that started but did not finish is reported as interrupted, not run again', async () => {
  const { directory, order, agent, results } = await newMachine()
  const id = await order('echo twice')
  mkdirSync(join(directory, 'commands'))
  writeFileSync(join(directory, 'commands', id), '')
  await agent()
  const [result] = await results()
  assert.equal(result.exitCode, null)
  assert.equal(result.response.data.output, '')
  assert.equal(result.response.error, 'interrupted')
})

test('concurrent agents run a command once, and a crashed agent does not block the next', async () => {
  const { directory, order, agent, results } = await newMachine()
  const mark = join(directory, 'ran')
  const pipe = join(directory, 'pipe')
  assert.equal((await run('mkfifo', [pipe])).code, 0)
  await order(`echo once >> '${mark}'; cat '${pipe}'`)
  const agents = [agent(), agent()]
  // One runs the command, which waits for the pipe; the other has nothing to do.
  assert.equal((await Promise.race(agents)).code, 0)
  await writeFile(pipe, 'go on')
  const [first, second] = await Promise.all(agents)
  assert.deepEqual([first!.code, second!.code], [0, 0], first!.stderr + second!.stderr)
  assert.equal(readFileSync(mark, 'utf8'), 'once\n')
  const [result] = await results()
  assert.equal(result.exitCode, 0)

  mkdirSync(join(directory, 'running'))
  writeFileSync(join(directory, 'running/holder'), 'an-earlier-boot 1\n')
  await order('echo again')
  await agent()
  assert.equal((await results()).length, 2)
})

test('a result that could not be sent is resent without running the command again', async () => {
  const { org, directory, order, agent, results } = await newMachine()
  const mark = join(directory, 'ran')
  const id = await order(`echo once >> '${mark}'; cat '${mark}'`)
  // Send the result to a path that does not exist.
  const script = join(directory, 'agent.sh')
  const text = readFileSync(script, 'utf8')
  writeFileSync(script, text.replace('/agent/v1/commands/$1/result', '/agent/v1/nowhere/$1'))
  await agent()
  // The agent drops a result on 404; restore it as if the network had been down.
  writeFileSync(join(directory, 'commands', `${id}.out`), 'once\n')
  writeFileSync(join(directory, 'commands', `${id}.end`), '0 \n')
  assert.deepEqual(await results(), [])
  writeFileSync(script, text)
  await agent()
  const [result] = await results()
  assert.equal(result.exitCode, 0)
  assert.equal(result.response.data.output, 'once\n')
  assert.equal(readFileSync(mark, 'utf8'), 'once\n')
  assert.equal((await org.get('/api/v2/queuedcommand/workflows')).json().totalCount, 0)
})

test('a command runs as the user it names', async () => {
  const { org, order, agent, results } = await newMachine()
  // Only root can switch to another user.
  const somebody = process.getuid?.() === 0 ? 'nobody' : me
  await order('id -un; echo "$0" | grep -c script; pwd')
  await app.db.tx(org.organizationId, (tx) =>
    tx.run(sql`update command_queue set run_as_name = ${somebody}`),
  )
  await agent()
  const [result] = await results()
  assert.equal(result.response.data.output, `${somebody}\n1\n/\n`)
  assert.equal(result.exitCode, 0)
})

test('a command runs under the username of its directory user; with sudo it runs as root', async () => {
  const { org, order } = await newMachine()
  const person = { username: 'ada', email: 'ada@example.com' }
  const user = (await org.post('/api/systemusers', person)).json().id
  await order('true', { user })
  await order('true', { user, sudo: true })
  const { rows } = await app.db.tx(org.organizationId, (tx) =>
    tx.execute('select run_as_name as name from command_queue order by request_time'),
  )
  assert.deepEqual(rows, [{ name: 'ada' }, { name: me }])
})

test('a user unknown to the machine, or one that looks like an option, cannot run anything', async () => {
  for (const name of ['no-such-user', '-p']) {
    const { org, order, agent, results } = await newMachine()
    await order('echo no')
    await app.db.tx(org.organizationId, (tx) =>
      tx.run(sql`update command_queue set run_as_name = ${name}`),
    )
    await agent()
    const [result] = await results()
    assert.equal(result.exitCode, 126)
    assert.equal(result.response.data.output, `cannot run as ${name}\n`)
  }
})
