import { describeConfig, loadConfig } from '../server/platform/config.ts'
import { command } from './command.ts'
import { pairs, print } from './output.ts'

const show = (value: unknown): string =>
  value === null ? '(not set)' : Array.isArray(value) ? value.join(',') || '(none)' : String(value)

export const verb = {
  print: command({
    about: 'Prints every setting as the service would read it now; secrets are hidden.',
    json: true,
    async run({ json }) {
      const values = describeConfig(loadConfig())
      print(json, values, () =>
        pairs(
          Object.fromEntries(Object.entries(values).map(([name, value]) => [name, show(value)])),
        ),
      )
    },
  }),
}
