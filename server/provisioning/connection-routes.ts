import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import {
  activate,
  deactivate,
  deleteProvisioning,
  getDefaults,
  getProvisioning,
  putProvisioning,
} from './actions.ts'
import type { ProvisioningContext } from './context.ts'
import { BASE, errors, params, READ, READ_USERS, tags, WRITE } from './route-parts.ts'
import { Provisioning, ProvisioningDefaults, ProvisioningPut, ProvisioningTest } from './schema.ts'
import { testConnection } from './try.ts'

const HOW =
  `Users who are bound to the application, directly or through a group, and ACTIVATED, get an account at its SCIM
endpoint. It follows their attributes, and ends when they are unbound, suspended or deleted. STAGED users are skipped until
they are activated. Changes are written within a second, in the background.`.replaceAll('\n', ' ')

/** The settings of a connection, and whether it works. */
export const connectionRoutes: FastifyPluginAsyncTypebox<{
  context: ProvisioningContext
}> = async (app, { context }) => {
  app.get(
    BASE,
    {
      schema: {
        tags,
        summary: 'Get the SCIM connection of an application',
        params,
        response: { 200: Provisioning, ...errors },
      },
      config: { scopes: READ },
    },
    ({ caller, params }) => getProvisioning(context, caller, params.application_id),
  )

  app.put(
    BASE,
    {
      schema: {
        tags,
        summary: 'Create the SCIM connection of an application, or replace its settings',
        description: HOW,
        params,
        body: ProvisioningPut,
        response: { 200: Provisioning, ...errors },
      },
      config: { scopes: WRITE, besides: [READ_USERS] },
    },
    ({ caller, params, body }) => putProvisioning(context, caller, params.application_id, body),
  )

  app.delete(
    BASE,
    {
      schema: {
        tags,
        summary: 'Delete the SCIM connection; accounts at the provider stay as they are',
        params,
        response: { 204: Type.Null(), ...errors },
      },
      config: { scopes: WRITE },
    },
    async ({ caller, params }, reply) => {
      await deleteProvisioning(context, caller, params.application_id)
      return reply.code(204).send(null)
    },
  )

  app.get(
    `${BASE}/defaults`,
    {
      schema: {
        tags,
        summary: 'What the template of the application knows about its provider',
        params,
        response: { 200: ProvisioningDefaults, ...errors },
      },
      config: { scopes: READ },
    },
    ({ caller, params }) => getDefaults(context, caller, params.application_id),
  )

  app.post(
    `${BASE}/test`,
    {
      schema: {
        tags,
        summary: 'Try the connection',
        params,
        querystring: Type.Object({
          write: Type.Optional(
            Type.Boolean({
              description:
                'Also create, change and delete a test user, and a group if groups are pushed',
            }),
          ),
        }),
        response: { 200: ProvisioningTest, ...errors },
      },
      config: { scopes: WRITE },
    },
    ({ caller, params, query: { write = false } }) =>
      testConnection(context, caller, params.application_id, write),
  )

  app.post(
    `${BASE}/activate`,
    {
      schema: {
        tags,
        summary: 'Start to write accounts',
        params,
        response: { 200: Provisioning, ...errors },
      },
      config: { scopes: WRITE, besides: [READ_USERS] },
    },
    ({ caller, params }) => activate(context, caller, params.application_id),
  )

  app.post(
    `${BASE}/deactivate`,
    {
      schema: {
        tags,
        summary: 'Stop writing accounts; they stay as they are',
        params,
        response: { 200: Provisioning, ...errors },
      },
      config: { scopes: WRITE },
    },
    ({ caller, params }) => deactivate(context, caller, params.application_id),
  )
}
