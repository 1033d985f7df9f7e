import { seedCommand, seedResult } from '../server/commands/index.ts'
import { changeEdge } from '../server/graph/index.ts'
import type { Tx } from '../server/platform/db/index.ts'
import type { Device } from './people.ts'
import { Random } from './random.ts'
import { demoAdministrator, namedEnds } from './systems.ts'
import { actAs } from './tenancy.ts'
import type { Tenant, World } from './world.ts'

const DAY = 86_400_000

const COMMANDS = [
  {
    name: 'Report disk usage',
    command: 'df -h /',
    launchType: 'repeated',
    schedule: '0 30 3 * * *',
    scheduleRepeatType: 'day',
    days: 5,
    output: (random: Random) =>
      `Filesystem      Size  Used Avail Use% Mounted on\n/dev/sda1       234G  ${random.between(20, 220)}G   12G  ${random.between(10, 97)}% /\n`,
    failing: 0,
  },
  {
    name: 'Install security updates',
    command: 'unattended-upgrade --verbose',
    launchType: 'manual',
    timeout: '3600',
    days: 2,
    output: () => 'Checking if system is running on battery is skipped.\nAll upgrades installed\n',
    failing: 0.2,
  },
  {
    name: 'Collect logs',
    command: 'journalctl --since "1 hour ago" --priority warning --no-pager',
    launchType: 'trigger',
    trigger: 'collect-logs',
    days: 1,
    output: () => '-- No entries --\n',
    failing: 0,
  },
] as const

type Plan = (typeof COMMANDS)[number]

async function seedResults(
  tx: Tx,
  { id: organizationId }: Tenant,
  plan: Plan,
  commandId: string,
  devices: Device[],
  now: number,
  random: Random,
): Promise<number> {
  for (let day = 1; day <= plan.days; day++) {
    const asked = now - day * DAY + random.between(0, 3_600_000)
    const workflow = random.id(asked)
    for (const device of devices) {
      const failed = random.chance(plan.failing)
      await seedResult(tx, {
        organization_id: organizationId,
        id: random.id(asked),
        command_id: commandId,
        workflow_instance_id: workflow,
        system_id: device.id,
        system_name: device.displayName,
        name: plan.name,
        command: plan.command,
        run_as: '000000000000000000000000',
        sudo: false,
        files: [],
        request_time: new Date(asked).toISOString(),
        response_time: new Date(asked + random.between(2, 70) * 1000).toISOString(),
        exit_code: failed ? 100 : 0,
        output: failed
          ? 'E: Could not get lock /var/lib/dpkg/lock-frontend\n'
          : plan.output(random),
        error: '',
      })
    }
  }
  return plan.days * devices.length
}

/** A few commands for the Linux systems of each organization, with recent results. */
export async function seedCommands(tx: Tx, { tenants, now }: World): Promise<string> {
  let results = 0
  for (const tenant of tenants) {
    await actAs(tx, tenant.id)
    const random = new Random(`commands of ${tenant.id}`)
    const devices = tenant.devices.filter(({ os }) => os === 'linux')
    for (const plan of COMMANDS) {
      const { days: _, output: __, failing: ___, ...body } = plan
      const id = random.id()
      await seedCommand(tx, tenant.id, id, body)
      for (const device of devices) {
        const source = { type: 'command', id } as const
        const target = { type: 'system', id: device.id } as const
        const context = namedEnds([id, plan.name], [device.id, device.displayName])
        await changeEdge(context, tx, demoAdministrator(tenant), { source, target, op: 'add' })
      }
      results += await seedResults(tx, tenant, plan, id, devices, now, random)
    }
  }
  return `Commands: ${tenants.length * COMMANDS.length}, results: ${results}`
}
