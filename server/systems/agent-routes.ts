import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { errorsOf } from '../platform/http/errors.ts'
import { recordAgentEvents } from './agent-events.ts'
import { getConnectKey, rotateConnectKey } from './connect-keys.ts'
import type { SystemContext } from './context.ts'
import { kickstart, register, report } from './enrolment.ts'
import { AgentEvent, ConnectKey, Facts, Registration } from './schema.ts'

const tags = ['systems']

const connectKeyOf = ({ headers }: { headers: Record<string, unknown> }): string | undefined => {
  const value = headers['x-connect-key']
  return typeof value === 'string' ? value.trim() : undefined
}

/** The connect key enrols systems, so read-only scopes do not show it. */
export const connectKeyRoutes: FastifyPluginAsyncTypebox<{ context: SystemContext }> = async (
  app,
  { context },
) => {
  const errors = errorsOf('v2')
  app.get(
    '/connect-key',
    {
      schema: {
        tags,
        summary: 'Get the connect key with which systems of the organization enrol',
        response: { 200: ConnectKey, ...errors },
      },
      config: { scopes: ['systems'] },
    },
    ({ caller }) => getConnectKey(context, caller.organizationId),
  )

  app.post(
    '/connect-key/rotate',
    {
      schema: {
        tags,
        summary: 'Rotate the connect key; the old one stops working immediately',
        response: { 200: ConnectKey, ...errors },
      },
      config: { scopes: ['systems'] },
    },
    ({ caller }) => rotateConnectKey(context, caller),
  )
}

/** Endpoints for machines: the installer presents the connect key, the agent signs. */
export const agentRoutes: FastifyPluginAsyncTypebox<{ context: SystemContext }> = async (
  app,
  { context },
) => {
  const errors = errorsOf('v1')

  app.get('/Kickstart', { config: { public: true } }, async (request, reply) =>
    reply
      .header('cache-control', 'no-store')
      .type('text/x-shellscript; charset=utf-8')
      .send(await kickstart(context, connectKeyOf(request))),
  )

  app.post(
    '/agent/v1/register',
    {
      schema: {
        body: Registration,
        response: { 201: Type.Object({ systemKey: Type.String() }), ...errors },
      },
      config: { public: true },
    },
    async (request, reply) => {
      const { ip, id: requestId, headers } = request
      const client = { ip, userAgent: headers['user-agent'], requestId }
      const { id } = await register(context, connectKeyOf(request), client, request.body)
      return reply.code(201).send({ systemKey: id })
    },
  )

  app.post(
    '/agent/v1/report',
    {
      schema: { body: Facts, response: { 204: Type.Null(), ...errors } },
      config: { scopes: ['systems.self'] },
    },
    async ({ caller, body }, reply) => {
      await report(context, caller, body)
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/agent/v1/events',
    {
      schema: {
        body: Type.Union([AgentEvent, Type.Array(AgentEvent, { maxItems: 1000 })]),
        response: { 204: Type.Null(), ...errors },
      },
      config: { scopes: ['systems.self'] },
    },
    async ({ caller, body }, reply) => {
      await recordAgentEvents(context, caller, [body].flat())
      return reply.code(204).send(null)
    },
  )
}
