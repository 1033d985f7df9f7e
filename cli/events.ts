import { exportEvents } from './events-export.ts'
import { importEvents } from './events-import.ts'
import { query } from './events-query.ts'
import { tail } from './events-tail.ts'

// These verbs use the HTTP API, unlike the others: from any machine, with the permissions of the key.
export const verb = { query, tail, import: importEvents, export: exportEvents }
