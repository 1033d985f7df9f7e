import { Type } from 'typebox'
import { defineJob, FOR_A_DAY, UPKEEP } from '../platform/jobs/definition.ts'

export const evaluateGroupJob = defineJob({
  name: 'groups.evaluate-group',
  payload: Type.Object({
    organizationId: Type.String(),
    type: Type.Enum(['user_group', 'system_group']),
    id: Type.String(),
  }),
  retry: UPKEEP,
})

/** Mails administrators the suggestions of a group under review, debounced into one mail. */
export const mailSuggestionsJob = defineJob({
  name: 'groups.mail-suggestions',
  payload: Type.Object({
    organizationId: Type.String(),
    type: Type.Enum(['user_group', 'system_group']),
    id: Type.String(),
    since: Type.String(),
  }),
  retry: FOR_A_DAY,
  singleton: true,
})

/** Rules may compare times, so a member can start to match without any change. */
export const evaluateAllGroupsJob = defineJob({
  name: 'groups.evaluate-all',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '11 2 * * *',
})

export const purgeGroupsJob = defineJob({
  name: 'groups.purge-deleted',
  payload: Type.Object({}),
  retry: UPKEEP,
  cron: '41 3 * * *',
})
