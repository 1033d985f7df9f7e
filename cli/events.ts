import { exportEvents } from './events-export.ts'
import { importEvents } from './events-import.ts'
import { query } from './events-query.ts'

// Over the HTTP API, unlike the other verbs: from any machine, with the rights of the key.
export const verb = { query, import: importEvents, export: exportEvents }
