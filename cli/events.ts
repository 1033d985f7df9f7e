import { exportEvents } from './events-export.ts'
import { importEvents } from './events-import.ts'
import { query } from './events-query.ts'
import { tail } from './events-tail.ts'

// Over the HTTP API, unlike the other verbs: from any machine, with the rights of the key.
export const verb = { query, tail, import: importEvents, export: exportEvents }
