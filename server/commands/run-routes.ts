import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { errorsOf } from '../platform/http/errors.ts'
import { ListQueryV2, readListV2 } from '../platform/list/query.ts'
import { ordersFor, takeAnswer } from './agent-actions.ts'
import { BUILT_INS } from './built-in.ts'
import type { CommandContext } from './context.ts'
import { listWorkflows, workflowResource } from './queue-store.ts'
import { READ } from './routes.ts'
import { cancelRun, describeRun, pullTrigger, runBuiltIn, runCommand } from './runs.ts'
import {
  AgentResult,
  CommandRun,
  IdParams,
  QueuedCommands,
  RunAnswer,
  RunRequest,
  TriggerAnswer,
} from './schema.ts'

const tags = ['commands']
type Options = { context: CommandContext }

/** Running commands, v1. */
export const runRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { context }) => {
  const errors = errorsOf('v1')

  app.post(
    '/runCommand',
    {
      schema: {
        tags,
        summary: 'Run a command on the named systems, or on the systems it is bound to',
        body: RunRequest,
        response: { 200: RunAnswer, ...errors },
      },
      config: {
        scopes: ['commands', 'commandrunner.legacy'],
        operationId: { legacy: 'commands_run' },
      },
    },
    ({ caller, body }) => runCommand(context, caller, body),
  )

  app.post(
    '/command/trigger/:triggername',
    {
      schema: {
        tags,
        summary: 'Run every command with this trigger; the request body is passed to each',
        params: Type.Object({ triggername: Type.String() }),
        body: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()]),
        response: { 200: TriggerAnswer, ...errors },
      },
      config: {
        scopes: ['commands', 'commands.schedule'],
        operationId: { legacy: 'command_trigger_webhook_post' },
      },
    },
    async ({ caller, params, body }) => ({
      triggered: await pullTrigger(context, caller, params.triggername, body ?? null),
    }),
  )

  for (const name of BUILT_INS) {
    app.post(
      `/systems/:system_id/command/builtin/${name}`,
      {
        schema: {
          tags,
          summary: `Queue the built-in command ${name} for a Linux or Windows system`,
          params: Type.Object({ system_id: Type.String() }),
          response: { 201: Type.Null(), ...errors },
        },
        config: {
          scopes: ['systems'],
          operationId: {
            legacy: `systems_commandBuiltin${name[0]!.toUpperCase()}${name.slice(1)}`,
          },
        },
      },
      async ({ caller, params }, reply) => {
        await runBuiltIn(context, caller, params.system_id, name)
        // No body at all: null would be serialized as "null".
        return reply.code(201).send(undefined as unknown as null)
      },
    )
  }
}

/** Pending runs, v2. */
export const commandQueueRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { context }) => {
  const errors = errorsOf('v2')

  app.get(
    '/queuedcommand/workflows',
    {
      schema: {
        tags,
        summary: 'List runs that still wait for results, newest first',
        querystring: Type.Pick(ListQueryV2, ['limit', 'skip', 'filter', 'sort', 'search']),
        response: { 200: QueuedCommands, ...errors },
      },
      config: {
        scopes: ['commands', 'commands.readonly'],
        operationId: { legacy: 'commands_getQueuedCommandsByWorkflow' },
      },
    },
    async ({ caller: { organizationId }, query }) => {
      const tenant = context.db.tenant(organizationId)
      const list = readListV2(workflowResource, query, context.limits.list)
      const page = await listWorkflows(tenant, organizationId, list)
      return {
        totalCount: page.totalCount,
        results: page.results.map((row) => ({
          id: row.id,
          name: row.name,
          command: row.command,
          commandId: row.command_id,
          launchType: row.launched_by,
          pendingCount: row.pending,
          requestTime: row.request_time,
        })),
      }
    },
  )

  app.get(
    '/commands/:command_id/runs/:workflow_instance_id',
    {
      schema: {
        tags,
        summary: 'Get a run of a command: how many systems have answered, and the state of each',
        params: Type.Object({ command_id: Type.String(), workflow_instance_id: Type.String() }),
        querystring: Type.Object({
          limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100 }),
          skip: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 }),
        }),
        response: { 200: CommandRun, ...errors },
      },
      config: { scopes: READ },
    },
    ({ caller, params, query }) =>
      describeRun(context, caller, params.command_id, params.workflow_instance_id, query),
  )

  app.delete(
    '/commandqueue/:workflow_instance_id',
    {
      schema: {
        tags,
        summary: 'Cancel a run on the systems that have not sent a result',
        params: Type.Object({ workflow_instance_id: Type.String() }),
        response: { 204: Type.Null(), ...errors },
      },
      config: {
        scopes: ['commands', 'systems'],
        operationId: { legacy: 'commands_cancelQueuedCommandsByWorkflowInstanceId' },
      },
    },
    async ({ caller, params }, reply) => {
      await cancelRun(context, caller, params.workflow_instance_id)
      return reply.code(204).send(null)
    },
  )
}

/** Where agents fetch orders and send results; requests are signed by the system. */
export const commandAgentRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { context }) => {
  app.get(
    '/agent/v1/commands',
    { config: { scopes: ['systems.self'] } },
    async ({ caller }, reply) =>
      reply.type('text/plain; charset=utf-8').send(await ordersFor(context, caller)),
  )

  app.post(
    '/agent/v1/commands/:id/result',
    {
      schema: {
        params: IdParams,
        body: AgentResult,
        response: { 204: Type.Null(), ...errorsOf('v1') },
      },
      config: { scopes: ['systems.self'] },
    },
    async ({ caller, params, body }, reply) => {
      await takeAnswer(context, caller, params.id, body)
      return reply.code(204).send(null)
    },
  )
}
