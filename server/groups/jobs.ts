import { systemCaller } from '../platform/caller.ts'
import { handle, type Job } from '../platform/jobs/definition.ts'
import { purgeDeletedGroups } from './actions.ts'
import type { GroupContext } from './context.ts'
import { evaluateGroup } from './dynamic.ts'
import { evaluateGroupJob, purgeGroupsJob } from './job-definitions.ts'

export const groupJobs = (context: GroupContext): Job[] => [
  handle(evaluateGroupJob, async ({ organizationId, type, id }) => {
    const actor = systemCaller(organizationId, 'dynamic groups')
    while (await evaluateGroup(context, actor, type, id));
  }),
  handle(purgeGroupsJob, () => purgeDeletedGroups(context, new Date())),
]
