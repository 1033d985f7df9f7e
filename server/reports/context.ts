import type { NodeNames } from '../graph/index.ts'
import type { Db } from '../platform/db/index.ts'
import type { SendJob } from '../platform/jobs/definition.ts'
import type { Limits } from '../platform/limits.ts'

/** Dependencies of this slice's actions; built once by the composition root. */
export interface ReportContext {
  db: Db
  limits: Limits
  send: SendJob
  names: NodeNames
}
