import type { Static } from 'typebox'
import { invalid } from '../../platform/errors.ts'
import { parsePath } from '../../platform/mapping/paths.ts'
import {
  checkDestination,
  secretGoesTo as connectionSecretGoesTo,
  type PublicAuth,
  splitAuth,
  urlsOf,
} from '../../scim/index.ts'
import type { FileSource, RestSource, ScimSource, SourceConfig } from './schema.ts'

export type Format = 'json' | 'jsonl' | 'csv'
export type Delimiter = ',' | ';' | '\t'

export type Paging =
  | { type: 'none' }
  | {
      type: 'offset'
      limitParam: string
      offsetParam: string
      pageSize: number
      totalPath: string | null
    }
  | {
      type: 'page'
      pageParam: string
      sizeParam: string | null
      firstPage: number
      pageSize: number
      totalPath: string | null
    }
  | {
      type: 'cursor'
      cursorParam: string
      cursorPath: string
      sizeParam: string | null
      pageSize: number
    }
  | { type: 'link'; nextPath: string | null }

interface Limits {
  perSecond: number | null
}

export interface RestSettings {
  kind: 'rest'
  baseUrl: string
  auth: PublicAuth | { type: 'none' }
  listPath: string
  query: Record<string, string>
  recordPath: string | null
  format: Format
  delimiter: Delimiter | null
  paging: Paging
  limits: Limits
}

export interface ScimSettings {
  kind: 'scim'
  baseUrl: string
  auth: PublicAuth
  filter: string | null
  limits: Limits
}

export interface FileSettings {
  kind: 'file'
  format: Format
  recordPath: string | null
  delimiter: Delimiter | null
  charset: string
}

/** The settings of a source without its secret, with all defaults filled in. */
export type SourceSettings = RestSettings | ScimSettings | FileSettings

interface ReadSource {
  settings: SourceSettings
  /** Undefined when none was sent, or none is needed. */
  secret: string | undefined
  /** By the field that holds them, to be checked by `Outbound.check`. */
  urls: Record<string, string>
}

const DEFAULT_PAGE_SIZE = 100

const bad = (message: string) => invalid('bad_source', message)

function checkPath(field: string, path: string | null | undefined): string | null {
  if (path === undefined || path === null) return null
  if (!parsePath(path)) throw bad(`${field}: ${path} is not a path such as data.items`)
  return path
}

function readPaging(paging: Static<typeof RestSource>['paging'], format: Format): Paging {
  if (!paging) return { type: 'none' }
  const inBody = (field: string, path: string | null | undefined) => {
    if (path != null && format !== 'json')
      throw bad(`paging.${field}: only a JSON response has members`)
    return checkPath(`paging.${field}`, path)
  }
  switch (paging.type) {
    case 'none':
      return paging
    case 'offset':
      return {
        type: 'offset',
        limitParam: paging.limitParam ?? 'limit',
        offsetParam: paging.offsetParam ?? 'offset',
        pageSize: paging.pageSize ?? DEFAULT_PAGE_SIZE,
        totalPath: inBody('totalPath', paging.totalPath),
      }
    case 'page':
      return {
        type: 'page',
        pageParam: paging.pageParam ?? 'page',
        sizeParam: paging.sizeParam === undefined ? 'limit' : paging.sizeParam,
        firstPage: paging.firstPage ?? 1,
        pageSize: paging.pageSize ?? DEFAULT_PAGE_SIZE,
        totalPath: inBody('totalPath', paging.totalPath),
      }
    case 'cursor': {
      const cursorPath = paging.cursorPath ?? 'next_cursor'
      inBody('cursorPath', cursorPath)
      return {
        type: 'cursor',
        cursorParam: paging.cursorParam ?? 'cursor',
        cursorPath,
        sizeParam: paging.sizeParam ?? null,
        pageSize: paging.pageSize ?? DEFAULT_PAGE_SIZE,
      }
    }
    case 'link':
      return { type: 'link', nextPath: inBody('nextPath', paging.nextPath) }
  }
}

/** What REST sources and files share. */
function readContent(
  config: Pick<Static<typeof RestSource>, 'recordPath' | 'delimiter'>,
  format: Format,
) {
  const { recordPath, delimiter } = config
  if (recordPath != null && format !== 'json') throw bad('recordPath: only JSON has a path')
  if (delimiter != null && format !== 'csv') throw bad('delimiter: only CSV has one')
  return { recordPath: checkPath('recordPath', recordPath), delimiter: delimiter ?? null }
}

function readRest(config: Static<typeof RestSource>): ReadSource {
  const { baseUrl, format = 'json' } = config
  const open = { shown: { type: 'none' as const }, secret: undefined }
  const { shown: auth, secret } = config.auth.type === 'none' ? open : splitAuth(config.auth)
  checkDestination({ baseUrl, auth })
  return {
    settings: {
      kind: 'rest',
      baseUrl,
      auth,
      listPath: config.listPath ?? '',
      query: config.query ?? {},
      format,
      ...readContent(config, format),
      paging: readPaging(config.paging, format),
      limits: { perSecond: config.limits?.perSecond ?? null },
    },
    secret,
    urls: urlsOf({ baseUrl, auth }),
  }
}

function readScim(config: Static<typeof ScimSource>): ReadSource {
  const { baseUrl } = config
  const { shown: auth, secret } = splitAuth(config.auth)
  checkDestination({ baseUrl, auth })
  return {
    settings: {
      kind: 'scim',
      baseUrl,
      auth,
      filter: config.filter ?? null,
      limits: { perSecond: config.limits?.perSecond ?? null },
    },
    secret,
    urls: urlsOf({ baseUrl, auth }),
  }
}

function readFile(config: Static<typeof FileSource>): ReadSource {
  const { format, charset = 'utf-8' } = config
  const settings = { kind: 'file' as const, format, ...readContent(config, format), charset }
  return { settings, secret: undefined, urls: {} }
}

/** A full replace: absent members get their defaults. */
export function readSource(config: SourceConfig): ReadSource {
  switch (config.kind) {
    case 'rest':
      return readRest(config)
    case 'scim':
      return readScim(config)
    case 'file':
      return readFile(config)
  }
}

/** A secret is kept only while this stays the same. Empty for a source that needs none. */
export const secretGoesTo = (settings: SourceSettings): string =>
  settings.kind === 'file' || settings.auth.type === 'none'
    ? ''
    : connectionSecretGoesTo({ baseUrl: settings.baseUrl, auth: settings.auth })
