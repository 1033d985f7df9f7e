/** What is made of an object, made once for each and forgotten with it. The object must not change. */
export function memo<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, V>()
  return (key) => {
    const before = made.get(key)
    if (before !== undefined) return before
    const value = make(key)
    made.set(key, value)
    return value
  }
}

/** With all that is in it: nobody whom it is handed to can change it for the others. */
export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  if (Object.isFrozen(value)) return value
  for (const member of Object.values(value)) freeze(member)
  return Object.freeze(value)
}
