import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { multiple, percent, type Row } from './benchmark.ts'
import { root } from './child.ts'

const figure = (value: number | null, unit: string): string =>
  value === null ? '–' : `${value >= 100 ? Math.round(value) : value.toFixed(1)} ${unit}`

/** A Markdown table, readable in a terminal and ready for docs/benchmarks.md. */
export function table(rows: Row[]): string {
  const cells = [
    ['Benchmark', 'Baseline', 'Gatehouse', 'Ratio', 'Goal', 'Met'],
    ...rows.map(({ name, unit, baseline, ours, ratio, goal, met, ...row }) => [
      name,
      figure(baseline, unit),
      figure(ours, unit),
      ratio === null ? '–' : row.multiple ? multiple(ratio) : percent(ratio),
      goal,
      goal === '–' ? '–' : met ? 'yes' : 'no',
    ]),
  ]
  const widths = cells[0]!.map((_, at) => Math.max(...cells.map((row) => row[at]!.length)))
  const line = (row: string[]) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [line(cells[0]!), rule, ...cells.slice(1).map(line)].join('\n')
}

export const machine = (): string =>
  `${cpus().length} x ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, ${process.platform}`

export const resultsDir = join(root, 'bench', 'results')

export function writeResults(rows: Row[], at = new Date()): string {
  mkdirSync(resultsDir, { recursive: true })
  const file = join(resultsDir, `${at.toISOString().replaceAll(':', '-')}.json`)
  writeFileSync(file, `${JSON.stringify({ at, machine: machine(), rows }, null, 2)}\n`)
  return file
}
