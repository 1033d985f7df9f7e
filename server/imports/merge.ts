import type { Profile } from '../users/index.ts'
import type { ImportWrite } from './incoming.ts'

type Item = Record<string, unknown>

/** Items of the source replace those with the same key; others, which someone added here, stay. */
function mergeBy(key: string, current: readonly object[], sent: readonly object[]): Item[] {
  const rest = [...(sent as Item[])]
  const merged = (current as Item[]).map((item) => {
    const at = rest.findIndex((other) => other[key] === item[key])
    return at === -1 ? item : { ...item, ...rest.splice(at, 1)[0] }
  })
  return [...merged, ...rest]
}

/** The write with its lists completed by what the user already has. */
export function mergeLists(profile: Profile, write: ImportWrite): ImportWrite {
  const { addresses, phoneNumbers, attributes } = write
  return {
    ...write,
    ...(addresses && { addresses: mergeBy('type', profile.addresses ?? [], addresses) }),
    ...(phoneNumbers && {
      phoneNumbers: mergeBy('type', profile.phoneNumbers ?? [], phoneNumbers),
    }),
    ...(attributes && {
      attributes: mergeBy('name', profile.attributes ?? [], attributes) as typeof attributes,
    }),
  }
}
