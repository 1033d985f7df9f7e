import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { messageOf } from '../server/platform/errors.ts'

export interface Option {
  type: 'string' | 'boolean'
  /** Placeholder for the value in the help text. */
  value?: string
  about: string
  required?: true
  /** May be repeated, or given as a comma-separated list. */
  multiple?: true
}
export type Options = Record<string, Option>

export type Values<O extends Options> = {
  [K in keyof O]: O[K]['type'] extends 'boolean'
    ? boolean
    : O[K] extends { multiple: true }
      ? string[]
      : O[K] extends { required: true }
        ? string
        : string | undefined
}

/** The parsed command line, checked against the command's options. */
interface Call<O extends Options = Options> {
  options: Values<O>
  /** One for each name in `operands`; optional ones may be missing at the end. */
  operands: string[]
  json: boolean
}

export interface Command<O extends Options = Options> {
  about: string
  options?: O
  /** Names; an optional one is in brackets, as in the help. */
  operands?: string[]
  /** Prints data, so it takes --json. */
  json?: true
  /** More lines for --help. */
  notes?: string[]
  run(call: Call<O>): Promise<void>
}

/** A verb is one command, or a group of subcommands: `admin create`. */
export type Verb = Command | { [subVerb: string]: Command }

export const isCommand = (verb: Verb): verb is Command => typeof verb.run === 'function'

/** Infers the types of one command; the table of verbs erases them. */
export const command = <const O extends Options>(definition: Command<O>): Command =>
  definition as unknown as Command

/** A usage error: exit code 2; other failures are 1. */
export class UsageError extends Error {}

const COMMON: Options = {
  json: { type: 'boolean', about: 'Print JSON' },
  help: { type: 'boolean', about: 'Print this help' },
}

export const optionsOf = ({ options, json }: Command): Options => ({
  ...options,
  ...(json && { json: COMMON.json! }),
  help: COMMON.help!,
})

const separate = (values: string[]): string[] =>
  values
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '')

/** Null when the user asked for help. `name` is the full name of the command, for messages. */
export function parseCall(name: string, definition: Command, args: string[]): Call | null {
  const options = optionsOf(definition)
  const seeHelp = `see gatehouse ${name} --help`
  const config: ParseArgsOptionsConfig = Object.fromEntries(
    Object.entries(options).map(([key, { type, multiple = false }]) => [
      key,
      key === 'help' ? { type, short: 'h' } : { type, multiple },
    ]),
  )
  let parsed: { values: Record<string, unknown>; positionals: string[] }
  try {
    parsed = parseArgs({ args, options: config, allowPositionals: true })
  } catch (error) {
    // Node's first sentence says what is wrong; the others explain how to quote.
    throw new UsageError(`${messageOf(error).split(/\.(?:\s|$)/)[0]}; ${seeHelp}`)
  }
  const { values, positionals: operands } = parsed
  if (values.help) return null
  const wanted = definition.operands ?? []
  const missing = wanted.slice(operands.length).find((one) => !one.startsWith('['))
  if (missing !== undefined) throw new UsageError(`${missing} is missing; ${seeHelp}`)
  if (operands.length > wanted.length)
    throw new UsageError(`Unexpected argument '${operands[wanted.length]}'; ${seeHelp}`)
  for (const [key, { required, multiple }] of Object.entries(options)) {
    if (multiple) values[key] = separate((values[key] ?? []) as string[])
    if (required && !values[key]) throw new UsageError(`--${key} is missing; ${seeHelp}`)
  }
  const json = values.json === true
  return { options: values as Call['options'], operands, json }
}
