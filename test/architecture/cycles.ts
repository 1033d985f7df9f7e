import type { Import } from './source.ts'

/** Import cycles, each once, as `a → b → a`. */
export function cyclesIn(imports: Import[]): string[] {
  const importsOf = Map.groupBy(imports, ({ from }) => from)
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) {
      cycles.push([...path.slice(path.indexOf(file)), file].join(' → '))
      return
    }
    if (done.has(file)) return
    for (const { to } of importsOf.get(file) ?? []) visit(to, [...path, file])
    done.add(file)
  }
  for (const file of importsOf.keys()) visit(file, [])
  return cycles
}
