import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { errorsOf } from '../platform/http/errors.ts'
import {
  changeForwarder,
  createForwarder,
  getForwarder,
  listDeliveries,
  listForwarders,
  removeForwarder,
  replay,
  testForwarder,
} from './actions.ts'
import type { ForwardingContext } from './context.ts'
import {
  DeliveryList,
  Forwarder,
  ForwarderList,
  ForwarderWithSecret,
  ForwarderWrite,
  Replay,
  TestResult,
} from './schema.ts'

const errors = errorsOf('insights')
const tags = ['forwarders']
const READ = { scopes: ['insights', 'insights.readonly'] }
const WRITE = { scopes: ['insights'] }
const params = Type.Object({ id: Type.String() })
const Empty = Type.Object({}, { title: 'Empty' })

const HOW =
  `Events are sent by POST, at least once, in chronological order, and signed according to Standard
Webhooks (webhook-id, webhook-timestamp, webhook-signature). A batch keeps its webhook-id until it is delivered. Late
events of other sources are sent when they arrive, ahead of the next ones. A response other than 2xx is retried for
72 hours, then the forwarder fails; Retry-After is respected, and 410 disables the forwarder.`.replaceAll(
    '\n',
    ' ',
  )

/** Forwarders: webhooks that send events to a SIEM or another collector. */
export const forwarderRoutes: FastifyPluginAsyncTypebox<{ context: ForwardingContext }> = async (
  app,
  { context },
) => {
  app.get(
    '/forwarders',
    {
      schema: { tags, summary: 'List forwarders', response: { 200: ForwarderList, ...errors } },
      config: READ,
    },
    async ({ caller }) => {
      const results = await listForwarders(context, caller)
      return { results, totalCount: results.length }
    },
  )
  app.post(
    '/forwarders',
    {
      schema: {
        tags,
        summary: 'Create a forwarder; only this response contains its secret',
        description: HOW,
        body: ForwarderWrite,
        response: { 201: ForwarderWithSecret, ...errors },
      },
      config: WRITE,
    },
    async ({ caller, body }, reply) =>
      reply.code(201).send(await createForwarder(context, caller, body)),
  )
  app.get(
    '/forwarders/:id',
    {
      schema: {
        tags,
        summary: 'One forwarder and its state',
        params,
        response: { 200: Forwarder, ...errors },
      },
      config: READ,
    },
    ({ caller, params: { id } }) => getForwarder(context, caller, id),
  )
  app.put(
    '/forwarders/:id',
    {
      schema: {
        tags,
        summary: 'Replace the settings of a forwarder and retry its failed batches',
        params,
        body: ForwarderWrite,
        response: { 200: ForwarderWithSecret, ...errors },
      },
      config: WRITE,
    },
    ({ caller, params: { id }, body }) => changeForwarder(context, caller, id, body),
  )
  app.delete(
    '/forwarders/:id',
    {
      schema: {
        tags,
        summary: 'Delete a forwarder',
        params,
        response: { 200: Empty, ...errors },
      },
      config: WRITE,
    },
    async ({ caller, params: { id } }) => {
      await removeForwarder(context, caller, id)
      return {}
    },
  )
  app.post(
    '/forwarders/:id/test',
    {
      schema: {
        tags,
        summary: 'Send a sample event now and return the outcome',
        params,
        response: { 200: TestResult, ...errors },
      },
      config: WRITE,
    },
    ({ caller, params: { id } }) => testForwarder(context, caller, id),
  )
  app.post(
    '/forwarders/:id/replay',
    {
      schema: {
        tags,
        summary: 'Move the cursor: send events again, or skip some',
        params,
        body: Replay,
        response: { 200: Forwarder, ...errors },
      },
      config: WRITE,
    },
    ({ caller, params: { id }, body }) => replay(context, caller, id, body.from),
  )
  app.get(
    '/forwarders/:id/deliveries',
    {
      schema: {
        tags,
        summary: 'The last 200 attempts, newest first',
        params,
        response: { 200: DeliveryList, ...errors },
      },
      config: READ,
    },
    async ({ caller, params: { id } }) => {
      const results = await listDeliveries(context, caller, id)
      return { results, totalCount: results.length }
    },
  )
}
