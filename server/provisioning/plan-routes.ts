import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { confirmRemovals, requestReconcile, sessionFor } from './actions.ts'
import type { ProvisioningContext } from './context.ts'
import { makePlan } from './plan.ts'
import { checkGroups } from './rights.ts'
import {
  Accepted,
  BASE,
  DEFAULT_LIMIT,
  errors,
  limit,
  params,
  READ,
  READ_USERS,
  skip,
  tags,
  WRITE,
} from './route-parts.ts'
import { PreviewRequest, ProvisioningPlan, ProvisioningPreview, ReconcileMode } from './schema.ts'
import { previewUser } from './try.ts'

/** What would be written, and what the provider has. */
export const planRoutes: FastifyPluginAsyncTypebox<{
  context: ProvisioningContext
}> = async (app, { context }) => {
  app.get(
    `${BASE}/plan`,
    {
      schema: {
        tags,
        summary: 'Who would be created, updated, deactivated and deleted, before anything is sent',
        params,
        querystring: Type.Object({ limit, skip }),
        response: { 200: ProvisioningPlan, ...errors },
      },
      config: { scopes: READ, besides: [READ_USERS] },
    },
    async ({ caller, params, query: { limit = DEFAULT_LIMIT, skip = 0 } }) => {
      const session = await sessionFor(context, caller, params.application_id)
      checkGroups(caller, session.settings)
      return makePlan(context, session, { limit, skip })
    },
  )

  app.post(
    `${BASE}/plan/confirm`,
    {
      schema: {
        tags,
        summary: 'Let removals go ahead that exceed removalLimit',
        params,
        response: {
          200: Type.Object({ confirmed: Type.Integer() }, { title: 'ConfirmedRemovals' }),
          ...errors,
        },
      },
      config: { scopes: WRITE },
    },
    ({ caller, params }) => confirmRemovals(context, caller, params.application_id),
  )

  app.post(
    `${BASE}/reconcile`,
    {
      schema: {
        tags,
        summary: 'Compare with the provider now; the report appears in the status',
        params,
        body: Type.Union([
          Type.Object(
            { mode: Type.Optional(ReconcileMode) },
            { title: 'ProvisioningReconcile', additionalProperties: false },
          ),
          Type.Null(),
        ]),
        response: { 202: Accepted, ...errors },
      },
      config: { scopes: WRITE, besides: [READ_USERS] },
    },
    async ({ caller, params, body }, reply) => {
      await requestReconcile(context, caller, params.application_id, body?.mode ?? 'report')
      return reply.code(202).send({})
    },
  )

  app.post(
    `${BASE}/preview`,
    {
      schema: {
        tags,
        summary: 'What the mapping makes of a user: sources, results, and what is missing',
        params,
        body: PreviewRequest,
        response: { 200: ProvisioningPreview, ...errors },
      },
      config: { scopes: READ, besides: [READ_USERS] },
    },
    ({ caller, params, body }) =>
      previewUser(context, caller, params.application_id, body.userId, body.mapping),
  )
}
