import { Type } from 'typebox'
import { defineJob } from '../platform/jobs/definition.ts'

export const evaluateGroupJob = defineJob({
  name: 'groups.evaluate-group',
  payload: Type.Object({
    organizationId: Type.String(),
    type: Type.Enum(['user_group', 'system_group']),
    id: Type.String(),
  }),
  retry: { limit: 5, backoffSeconds: 5 },
})

/** Tells administrators what the rule of a group under review suggests: once for all that comes within a while. */
export const mailSuggestionsJob = defineJob({
  name: 'groups.mail-suggestions',
  payload: Type.Object({
    organizationId: Type.String(),
    type: Type.Enum(['user_group', 'system_group']),
    id: Type.String(),
    since: Type.String(),
  }),
  retry: { limit: 5, backoffSeconds: 30 },
  oneWaiting: true,
})

/** Rules may ask how long ago something was: a member may come to fit one without being changed. */
export const evaluateAllGroupsJob = defineJob({
  name: 'groups.evaluate-all',
  payload: Type.Object({}),
  retry: { limit: 3, backoffSeconds: 300 },
  cron: '11 2 * * *',
})

export const purgeGroupsJob = defineJob({
  name: 'groups.purge-deleted',
  payload: Type.Object({}),
  retry: { limit: 3, backoffSeconds: 60 },
  cron: '41 3 * * *',
})
