import { readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'

/** What test/together.ts notes about a file. */
export interface Noted {
  seconds: number
  /** Processor time of its own process. */
  cpu: number
}

const LONGEST = 25

/** Processor seconds of all programs of the machine since it started, the database and browsers included. */
const busy = () =>
  cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0) / 1000

const row = (...cells: (string | number)[]) =>
  cells.map((cell) => (typeof cell === 'number' ? cell.toFixed(1) : cell).padStart(7)).join(' ')

/** Measures a run: `report` says where its time went, file by file. */
export function measure(lanes: number) {
  const began = performance.now()
  const busyBefore = busy()
  return function report(notes: string): string {
    const wall = (performance.now() - began) / 1000
    const files = readdirSync(notes)
      .map((name) => {
        const noted = JSON.parse(readFileSync(join(notes, name), 'utf8') || '{}') as Partial<Noted>
        return { file: decodeURIComponent(name), seconds: 0, cpu: 0, ...noted }
      })
      .sort((a, b) => b.seconds - a.seconds)
    const total = files.reduce((sum, { seconds }) => sum + seconds, 0)
    return [
      'The longest files: seconds, and processor seconds of their own process',
      ...files.slice(0, LONGEST).map((one) => row(one.seconds, one.cpu, one.file)),
      `${wall.toFixed(0)} s, ${(busy() - busyBefore).toFixed(0)} processor seconds of all programs; ` +
        `${lanes} lanes, of which ${(lanes * wall - total).toFixed(0)} s idle or starting`,
      '',
    ].join('\n')
  }
}
