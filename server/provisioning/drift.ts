type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The part of a resource that we write too: what else the provider keeps is its own. */
export function overlap(remote: Json, ours: Json): Json {
  const shared = Object.keys(ours).filter((name) => remote[name] !== undefined)
  return Object.fromEntries(
    shared.map((name) => {
      const [theirs, own] = [remote[name], ours[name]]
      return [name, isObject(theirs) && isObject(own) ? overlap(theirs, own) : theirs]
    }),
  )
}

/** Providers return texts in another case and booleans as texts. */
const same = (a: unknown, b: unknown): boolean =>
  a === b || String(a).toLowerCase() === String(b).toLowerCase()

/** Whether the provider has everything that we wrote, in whatever order and company. */
function covers(remote: unknown, ours: unknown): boolean {
  if (Array.isArray(ours))
    return ours.every((own) => Array.isArray(remote) && remote.some((one) => covers(one, own)))
  if (!isObject(ours)) return same(remote, ours)
  return Object.entries(ours).every(([name, own]) => isObject(remote) && covers(remote[name], own))
}

/** Attributes that differ from what we want at the provider. */
export const driftOf = (remote: Json, ours: Json): string[] =>
  Object.keys(ours).filter((name) => name !== 'schemas' && !covers(remote[name], ours[name]))
