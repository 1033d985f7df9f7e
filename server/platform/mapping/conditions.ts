import type { Path } from './paths.ts'
import type { Place } from './place.ts'
import { CONDITIONS, type MappingCondition, type Operator } from './schema.ts'
import { groupKey, type Scope } from './scope.ts'
import { fold, isMissing, isScalar } from './values.ts'

type Holds = (scope: Scope) => boolean
type Form<K> = Extract<MappingCondition, Record<K & string, unknown>>
type Inverse = 'ne' | 'not_in' | 'not_exists'

/** A record without the field therefore meets them. */
const INVERSE_OF: Record<Inverse, Exclude<Operator, Inverse>> = {
  ne: 'eq',
  not_in: 'in',
  not_exists: 'exists',
}
const isInverse = (operator: Operator): operator is Inverse => Object.hasOwn(INVERSE_OF, operator)

/** Both texts are folded. */
const COMPARE = {
  eq: (text: string, wanted: string) => text === wanted,
  contains: (text: string, wanted: string) => text.includes(wanted),
  startsWith: (text: string, wanted: string) => text.startsWith(wanted),
  endsWith: (text: string, wanted: string) => text.endsWith(wanted),
}

function textsAt(path: Path, field: string, scope: Scope): string[] {
  const found = scope.value(path)
  if ('problem' in found) scope.fail(`${field} ${found.problem}`)
  return scope.texts(path)
}

/** Of a list, one element must match. */
function matcher(operator: keyof typeof COMPARE | 'in', value: unknown, at: Place) {
  if (operator === 'in') {
    if (!Array.isArray(value)) throw at.error('must be a list', '.value')
    at.count(value.length)
    const wanted = new Set(value.map(fold))
    return (text: string) => wanted.has(text)
  }
  if (!isScalar(value) || value === '')
    throw at.error('must be a single value that is not empty', '.value')
  const wanted = fold(value)
  return (text: string) => COMPARE[operator](text, wanted)
}

function fieldHolds({ field, operator, value }: Form<'field'>, at: Place): Holds {
  const path = at.source(field, 'field')
  const positive = isInverse(operator) ? INVERSE_OF[operator] : operator
  let holds: Holds
  if (positive === 'exists') {
    if (value !== undefined) throw at.error('must be absent', '.value')
    holds = (scope) => !isMissing(scope.find(path))
  } else {
    const matches = matcher(positive, value, at)
    holds = (scope) => textsAt(path, field, scope).some(matches)
  }
  return positive === operator ? holds : (scope) => !holds(scope)
}

const BUILD: { [K in keyof typeof CONDITIONS]: (form: Form<K>, at: Place) => Holds } = {
  field: fieldHolds,
  and({ and }, at) {
    const all = and.map((part, index) => compileCondition(part, at.inside(`and[${index}]`)))
    return (scope) => all.every((holds) => holds(scope))
  },
  or({ or }, at) {
    const any = or.map((part, index) => compileCondition(part, at.inside(`or[${index}]`)))
    return (scope) => any.some((holds) => holds(scope))
  },
  not({ not }, at) {
    const holds = compileCondition(not, at.inside('not'))
    return (scope) => !holds(scope)
  },
  group({ group }) {
    const key = groupKey(group)
    return (scope) => scope.isMember(key)
  },
}

export function compileCondition(condition: MappingCondition, at: Place): Holds {
  const holds = BUILD[at.formOf(CONDITIONS, condition)](condition as never, at)
  return (scope) => !scope.isSpent && holds(scope)
}
