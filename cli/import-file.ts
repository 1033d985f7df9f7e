import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { OperatorError } from '../server/platform/errors.ts'
import { checkSource } from '../server/platform/files.ts'

/** A file of people, and how the service is to read it. */
export interface PeopleFile {
  name: string
  content: Buffer
  source: { kind: 'file'; format: 'csv' | 'json' | 'jsonl'; recordPath?: string; charset?: string }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** By a byte order mark or the given charset; a wrong guess would change names unnoticed. */
function decode(name: string, content: Buffer, charset: string | undefined): string {
  const [first, second] = content
  const marked =
    (first === 0xff && second === 0xfe && 'utf-16le') ||
    (first === 0xfe && second === 0xff && 'utf-16be')
  try {
    return new TextDecoder(marked || charset || 'utf-8', { fatal: true }).decode(content)
  } catch {
    throw new OperatorError(
      `${name} is not ${marked || charset || 'utf-8'}; name its encoding with --charset, such as windows-1252`,
    )
  }
}

const listsIn = (document: Record<string, unknown>): string[] =>
  Object.keys(document).filter((name) => {
    const value = document[name]
    return Array.isArray(value) && value.every(isObject)
  })

/** By the content, so that stdin works as well as any name. */
function formatOf(name: string, text: string): Omit<PeopleFile['source'], 'kind'> {
  const start = text.trim()
  if (!/^[[{]/.test(start)) return { format: 'csv' }
  const document = parsed(start)
  if (Array.isArray(document)) return { format: 'json' }
  if (document === undefined && isObject(parsed(start.split('\n', 1)[0]!)))
    return { format: 'jsonl' }
  if (!isObject(document)) throw new OperatorError(`${name} is not valid JSON`)
  const [list, another] = listsIn(document)
  if (list !== undefined && another === undefined)
    return { format: 'json', recordPath: `[${JSON.stringify(list)}]` }
  // One line is also one record.
  if (!start.includes('\n')) return { format: 'jsonl' }
  throw new OperatorError(`${name} must be a list of people, or an object with one such list`)
}

export async function readPeople(file: string, charset: string | undefined): Promise<PeopleFile> {
  const stdin = file === '-'
  if (!stdin) checkSource(file)
  const content = stdin ? await buffer(process.stdin) : await readFile(file)
  const name = stdin ? 'stdin' : basename(file)
  if (content.length === 0) throw new OperatorError(`${name} is empty`)
  const format = formatOf(name, decode(name, content, charset))
  return { name, content, source: { kind: 'file', ...format, ...(charset && { charset }) } }
}
