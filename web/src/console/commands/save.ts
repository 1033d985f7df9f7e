import { useChange } from '../changes.ts'
import { type Command, type CommandWrite, commandKey, writeOf } from './command.ts'

/** Saves some members of a command; the others keep their values. */
export const useSave = (command: Command, done: string, after?: () => void) =>
  useChange({
    run: (api, values: Partial<CommandWrite>) =>
      api.management.PUT('/commands/{id}', {
        params: { path: { id: command.id } },
        body: { ...writeOf(command), ...values },
      }),
    touches: [['commands']],
    done: () => done,
    after: () => after?.(),
    expect: {
      key: commandKey(command.id),
      change: (cached: Command, values) => ({ ...cached, ...values }),
    },
    quiet: true,
  })
