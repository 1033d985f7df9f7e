import type { components } from '../../../../client/index.ts'
import { type Api, dataOf } from '../../api/organization.ts'

export type Command = components['schemas']['Command']
export type CommandWrite = components['schemas']['CommandWrite']

export const TYPES = { linux: 'Linux', mac: 'macOS', windows: 'Windows' } as const

export const ROOT = '000000000000000000000000'

export const commandKey = (id: string) => ['commands', id, 'record']

export const readCommand = (id: string) => async (api: Api) =>
  dataOf(await api.management.GET('/commands/{id}', { params: { path: { id } } }))

/** The API replaces a command, so what a form does not show is sent back. */
export function writeOf({
  _id,
  id,
  organization,
  commandRunners,
  name = '',
  command = '',
  launchType = 'manual',
  ...rest
}: Command): CommandWrite {
  return {
    ...rest,
    name,
    command,
    launchType: launchType as NonNullable<CommandWrite['launchType']>,
  }
}
