import { ApiError } from './session.ts'

/** The way to the member that an error is about, such as ["attributes", "sudo"]; empty if it names none. */
export function pathOf(error: Error): string[] {
  if (!(error instanceof ApiError)) return []
  const named = error.field ?? error.violations[0]?.field ?? error.message
  const [, path = ''] = /^(?:body[./])?(\w+(?:[./]\w+)*)/.exec(named) ?? []
  return path.split(/[./]/)
}
