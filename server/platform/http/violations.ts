import type { FastifySchemaValidationError } from 'fastify'

type Violation = Pick<FastifySchemaValidationError, 'instancePath' | 'keyword' | 'params'> & {
  message?: string
}

/** The violations of a request, by field and as one sentence. */
interface Violations {
  message: string
  fields: { field: string; description: string }[]
}

const listed = (values: unknown): string =>
  (values as unknown[]).map((value) => (value === '' ? '""' : String(value))).join(', ')

function wordsOf({ keyword, params, message = 'is not valid' }: Violation): string {
  if (keyword === 'enum') return `must be one of ${listed(params.allowedValues)}`
  if (keyword === 'const') return `must be ${JSON.stringify(params.allowedValue)}`
  if (keyword === 'additionalProperties') return `must not have "${params.additionalProperty}"`
  return message
}

/** Null and the empty string are alternatives for "none": not worth mentioning to a caller who sent something else. */
const isNothing = ({ keyword, params }: Violation): boolean =>
  (keyword === 'type' && params.type === 'null') ||
  (keyword === 'const' && params.allowedValue === '')

/**
 * A value that matches none of several alternatives is reported once per alternative and once for all. Keeps the list
 * of alternatives or, if the value had the form of one, the violations inside it.
 */
function relevant(violations: Violation[]): Violation[] {
  const left = violations.filter(
    ({ keyword, instancePath }) =>
      keyword !== 'anyOf' ||
      !violations.some(
        (other) => other.keyword !== 'anyOf' && other.instancePath.startsWith(instancePath),
      ),
  )
  // It has the form of one alternative, so violations of the others are irrelevant.
  const entered = ({ keyword, instancePath }: Violation) =>
    ['type', 'const', 'enum'].includes(keyword) &&
    left.some((other) => other.instancePath.startsWith(`${instancePath}/`))
  const beside = (violation: Violation) =>
    left.some(
      (other) =>
        other.instancePath === violation.instancePath && other !== violation && !isNothing(other),
    )
  return left.filter(
    (violation) => !entered(violation) && !(isNothing(violation) && beside(violation)),
  )
}

export function describeViolations(violations: Violation[], context = ''): Violations {
  const byPath = Map.groupBy(relevant(violations), ({ instancePath }) => instancePath)
  const byField = [...byPath].map(([path, group]) => {
    const [first = '', ...others] = new Set(group.map(wordsOf))
    const words = [first, ...others.map((other) => other.replace(/^must /, ''))].join(' or ')
    const { missingProperty, additionalProperty } = group[0]!.params
    return { path, words, member: missingProperty ?? additionalProperty }
  })
  return {
    message: byField.map(({ path, words }) => `${context}${path} ${words}`).join(', '),
    fields: byField.map(({ path, words, member }) => ({
      field: [context, path.slice(1).replaceAll('/', '.'), member].filter(Boolean).join('.'),
      description: words,
    })),
  }
}
