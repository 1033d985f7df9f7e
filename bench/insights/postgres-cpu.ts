import { readdirSync, readFileSync } from 'node:fs'
import { asOwner } from './dataset.ts'

/** Linux counts it in hundredths of a second. */
const TICK_US = 10_000

const fieldsOf = (pid: string | number): string[] =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')

/** The processor time of the database's processes so far, those that have ended included. */
export async function postgresMicroseconds(dataDir: string): Promise<number> {
  const parent = await asOwner(dataDir, async (client) => {
    const { rows } = await client.query('select pg_backend_pid() as pid')
    return fieldsOf(rows[0].pid)[1]
  })
  let ticks = 0
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    try {
      const fields = fieldsOf(pid)
      if (pid === parent) ticks += Number(fields[13]) + Number(fields[14])
      if (pid === parent || fields[1] === parent) ticks += Number(fields[11]) + Number(fields[12])
    } catch {
      // It has just ended; its parent knows how long it took.
    }
  }
  return ticks * TICK_US
}
