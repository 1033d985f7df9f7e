import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import Value from 'typebox/value'
import { sha256 } from '../platform/secrets.ts'
import { SAML_SETTINGS, type Setting } from './settings.ts'
import { TemplateFile } from './templates/schema.ts'

export interface Template extends Omit<TemplateFile, 'config'> {
  id: string
  settings: ReadonlyMap<string, Setting>
}

/** The custom SAML template. */
export const CUSTOM = 'saml2'

/** Derived from the name, so that it is the same in every installation. */
const idOf = (name: string): string =>
  sha256(`application template ${name}`).toString('hex').slice(0, 24)

function settingsOf({ sso, config }: TemplateFile): Map<string, Setting> {
  const base: Record<string, Setting> = sso.type === 'saml' ? SAML_SETTINGS : {}
  for (const name of Object.keys(config))
    if (!Object.hasOwn(base, name)) throw new Error(`unknown setting "${name}"`)
  const settings = new Map<string, Setting>()
  for (const [name, setting] of Object.entries(base)) {
    const own = config[name]
    if (own !== null) settings.set(name, { ...setting, ...own } as Setting)
  }
  return settings
}

/** An error in a file aborts startup and names the file. */
export function readTemplate(text: string, file: string): Template {
  try {
    const template: TemplateFile = Value.Parse(TemplateFile, JSON.parse(text))
    if (`${template.name}.json` !== file)
      throw new Error(`"name" is "${template.name}", which does not match the file name`)
    if ((template.sso.type === 'oidc') !== (template.oidc !== undefined))
      throw new Error('"oidc" is required for the type "oidc", and not allowed for others')
    const { config: _, ...rest } = template
    return { ...rest, id: idOf(template.name), settings: settingsOf(template) }
  } catch (cause) {
    throw new Error(`Application template ${file}: ${(cause as Error).message}`, { cause })
  }
}

const directory = `${import.meta.dirname}/templates`

/** All templates by name. */
export const TEMPLATES: ReadonlyMap<string, Template> = new Map(
  globSync(`${directory}/*.json`)
    .sort()
    .map((path) => readTemplate(readFileSync(path, 'utf8'), basename(path)))
    .map((template) => [template.name, template]),
)

/** The template of an existing application; the custom one if its template has been removed. */
export const templateOf = (name: string): Template => TEMPLATES.get(name) ?? TEMPLATES.get(CUSTOM)!

/** An application's own values over the defaults of its template. */
export const valuesOf = (template: Template, config: Record<string, unknown>) => ({
  ...Object.fromEntries([...template.settings].map(([name, { value }]) => [name, value])),
  ...config,
})
