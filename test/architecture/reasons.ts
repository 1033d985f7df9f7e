import { collectReasons } from '../../scripts/reasons.ts'
import { FILES, textOf } from './source.ts'

/** Reasons that no test asserts: a change would go unnoticed. */
export function unassertedReasons(): string[] {
  const tests = FILES.filter((file) => file.endsWith('.test.ts')).map(textOf)
  return collectReasons()
    .map(({ reason }) => reason)
    .filter((reason) => !tests.some((text) => text.includes(`'${reason}'`)))
}

// node test/architecture/reasons.ts > test/architecture/unasserted-reasons.txt
if (import.meta.main)
  process.stdout.write(
    unassertedReasons()
      .map((reason) => `${reason}\n`)
      .join(''),
  )
