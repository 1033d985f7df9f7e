import { forEachOrganization } from '../organizations/index.ts'
import { systemCaller } from '../platform/caller.ts'
import { handle, type Job } from '../platform/jobs/definition.ts'
import { purgeDeletedGroups } from './actions.ts'
import type { GroupContext } from './context.ts'
import { evaluateGroup } from './dynamic.ts'
import {
  evaluateAllGroupsJob,
  evaluateGroupJob,
  mailSuggestionsJob,
  purgeGroupsJob,
} from './job-definitions.ts'
import { dynamicGroups } from './store.ts'
import { mailSuggestions } from './suggestion-mails.ts'

async function evaluateAllGroups({ db, send }: GroupContext): Promise<void> {
  await forEachOrganization(db, (organizationId) =>
    db.tx(organizationId, async (tx) => {
      for (const groupType of ['user_group', 'system_group'] as const)
        for (const { type, id } of await dynamicGroups(tx, organizationId, groupType))
          await send(tx, evaluateGroupJob, { organizationId, type, id })
    }),
  )
}

export const groupJobs = (context: GroupContext): Job[] => [
  handle(evaluateGroupJob, async ({ organizationId, type, id }) => {
    const actor = systemCaller(organizationId, 'dynamic groups')
    while (await evaluateGroup(context, actor, type, id));
  }),
  handle(mailSuggestionsJob, ({ organizationId, type, id, since }) =>
    mailSuggestions(context, organizationId, type, id, since),
  ),
  handle(evaluateAllGroupsJob, () => evaluateAllGroups(context)),
  handle(purgeGroupsJob, () => purgeDeletedGroups(context, new Date())),
]
