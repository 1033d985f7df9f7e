import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** All our source files. */
export const FILES = globSync(
  '{server,cli,demo,lab,client,bench,scripts,test,web/src}/**/*.{ts,tsx,mjs}',
)
  .filter((file) => !file.endsWith('.gen.ts'))
  .sort()

const texts = new Map(FILES.map((file) => [file, readFileSync(file, 'utf8')]))
export const textOf = (file: string): string => texts.get(file)!

export interface Import {
  from: string
  /** A path from the root, or the name of a package. */
  to: string
  /** Undefined for all, as in `import * as x` and `import('./x.ts')`. */
  names?: string[]
  typeOnly: boolean
  /** `export … from`: re-exported, not used. */
  reExport: boolean
}

const FROM = /^(import|export)\s+(type\s+)?([^'";=()]*?)\s+from\s+'([^']+)'/gm
const BARE = /(?<!')\bimport\s*\(?\s*'([^']+)'/g

/** The exported names between braces: `a, type B, c as d` are a, B and c. */
const listed = (clause: string): string[] =>
  clause
    .split(',')
    .map(
      (part) =>
        part
          .trim()
          .replace(/^type\s+/, '')
          .split(/\s+as\s+/)[0]!,
    )
    .filter((name) => name !== '')

function namesIn(clause: string): string[] | undefined {
  if (clause.includes('*')) return undefined
  const [, before = '', inside = ''] = /^([^{]*)(?:\{([^}]*)\})?/.exec(clause)!
  return [...(/\w/.test(before) ? ['default'] : []), ...listed(inside)]
}

function importsOf(from: string): Import[] {
  const resolve = (path: string) =>
    path.startsWith('.') ? normalize(join(dirname(from), path)) : path
  const text = textOf(from)
  return [
    ...[...text.matchAll(FROM)].map(([, word, type, clause = '', path = '']) => {
      const names = namesIn(clause)
      const typeOnly = type !== undefined || /^\{(\s*type\s+[\w\s]+,?)+\s*\}$/.test(clause)
      return {
        from,
        to: resolve(path),
        ...(names && { names }),
        typeOnly,
        reExport: word === 'export',
      }
    }),
    ...[...text.matchAll(BARE)].map(([, path = '']) => ({
      from,
      to: resolve(path),
      typeOnly: false,
      reExport: false,
    })),
  ]
}

export const IMPORTS: Import[] = FILES.flatMap(importsOf)

const DECLARED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const enum|const|let|function\*?|class|type|interface|enum) (\w+)/gm
const LISTED = /^export (?:type )?\{([^}]*)\}/gm

export const exportsOf = (file: string): string[] => {
  const text = textOf(file)
  const lists = [...text.matchAll(LISTED)].flatMap(([, clause = '']) =>
    clause.split(',').map((part) => part.trim().split(/\s+/).at(-1)!),
  )
  const declared = [...text.matchAll(DECLARED)].map(([, name = '']) => name)
  return [...new Set([...declared, ...lists.filter((name) => name !== '')])]
}
