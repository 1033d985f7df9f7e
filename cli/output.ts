/** Prints data as text or JSON on stdout; everything else goes to stderr. */
export function print(json: boolean, data: unknown, lines: () => string[]): void {
  const text = json ? JSON.stringify(data, null, 2) : lines().join('\n')
  process.stdout.write(`${text}\n`)
}

/** For data that others wrote: control characters must not reach the terminal. */
export const printable = (text: string): string => text.replace(/\p{Cc}/gu, '\ufffd')

export function table(heads: string[], rows: string[][]): string[] {
  const widths = heads.map((head, at) =>
    Math.max(head.length, ...rows.map((row) => row[at]!.length)),
  )
  const line = (cells: string[]) => cells.map((cell, at) => cell.padEnd(widths[at]!)).join('  ')
  return [heads, ...rows].map((cells) => line(cells).trimEnd())
}

export const pairs = (values: Record<string, string>): string[] => {
  const width = Math.max(...Object.keys(values).map((key) => key.length))
  return Object.entries(values).map(([key, value]) => `${key.padEnd(width)}  ${value}`)
}

export interface Progress {
  show(line: string): void
  done(): void
}

/** A status line that is overwritten, on a terminal only. */
export function progressLine(stream: NodeJS.WriteStream = process.stderr): Progress {
  if (!stream.isTTY) return { show: () => {}, done: () => {} }
  let shown = 0
  return {
    show(line) {
      // Ten updates a second are enough.
      if (Date.now() - shown < 100) return
      shown = Date.now()
      stream.write(`\r\x1b[2K${line.slice(0, (stream.columns || 80) - 1)}`)
    },
    done: () => {
      stream.write('\r\x1b[2K')
    },
  }
}
