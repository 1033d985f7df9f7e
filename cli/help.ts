import { type Command, isCommand, type Option, optionsOf, type Verb } from './command.ts'

const columns = (rows: [string, string][]): string[] => {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}

const optionWord = ([name, { type, value }]: [string, Option]): string =>
  type === 'string' ? `--${name} ${value ?? 'VALUE'}` : `--${name}`

function usage(name: string, command: Command): string {
  const options = Object.entries(command.options ?? {}).map((option) =>
    option[1].required ? optionWord(option) : `[${optionWord(option)}]`,
  )
  return ['gatehouse', name, ...(command.operands ?? []), ...options].join(' ')
}

const commandHelp = (name: string, command: Command): string[] => [
  `Usage: ${usage(name, command)}`,
  '',
  command.about,
  ...(command.notes ? ['', ...command.notes] : []),
  '',
  ...columns(
    Object.entries(optionsOf(command)).map((option) => [optionWord(option), option[1].about]),
  ),
]

export function verbHelp(name: string, verb: Verb): string {
  if (isCommand(verb)) return `${commandHelp(name, verb).join('\n')}\n`
  const rows = Object.entries(verb).map(([sub, command]): [string, string] => [
    usage(`${name} ${sub}`, command),
    command.about,
  ])
  const lines = rows.flatMap(([left, right]) => [`  ${left}`, `      ${right}`])
  return `${['Usage:', ...lines, '', `gatehouse ${name} VERB --help shows the options.`].join('\n')}\n`
}

export function overview(verbs: Record<string, { about: string }>): string {
  const rows = Object.entries(verbs).map(([name, { about }]): [string, string] => [name, about])
  return `${[
    'Usage: gatehouse VERB [OPTIONS]',
    '',
    ...columns(rows),
    '',
    'gatehouse VERB --help shows more. Settings come from the environment; see gatehouse config print.',
  ].join('\n')}\n`
}
