import { loadConfig } from '../server/platform/config.ts'
import { schemaVersion } from '../server/platform/db/migrate.ts'
import { command } from './command.ts'
import { print } from './output.ts'
import { programVersion } from './program-version.ts'

export const verb = command({
  about: 'Prints the version of the program and of its database schema.',
  json: true,
  async run({ json }) {
    const versions = {
      gatehouse: programVersion(),
      schema: schemaVersion(),
      node: process.version,
      region: loadConfig().region,
    }
    print(json, versions, () => [
      `Gatehouse ${versions.gatehouse}, schema ${versions.schema}, Node ${versions.node}, region ${versions.region}`,
    ])
  },
})
