import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { errorsOf } from '../platform/http/errors.ts'
import {
  activateUser,
  addSshKey,
  enforceMfa,
  expirePassword,
  reactivateUser,
  removeSshKey,
  resetMfa,
  setPassword,
  sshKeysOf,
  suspendUser,
  unlockUser,
} from './account-actions.ts'
import { getUser } from './actions.ts'
import type { UserContext } from './context.ts'
import {
  Activate,
  Done,
  MfaWrite,
  ReactivateMany,
  SetPassword,
  SshKey,
  SshKeyWrite,
  TotpInfo,
  UserParams,
} from './schema.ts'

const errors = errorsOf('v1')
const tags = ['users']
const READ = ['users', 'users.readonly']
const WRITE = ['users']
const answers = { 200: Done, ...errors }
const params = UserParams

/** Clients of these operations expect a JSON string. */
const done = (reply: FastifyReply) => reply.type('application/json').send('"OK"')

/** Operations on a user's account: state, password, second factor, SSH keys. */
export const userAccountRoutes: FastifyPluginAsyncTypebox<{ context: UserContext }> = async (
  app,
  { context },
) => {
  app.post(
    '/systemusers/:id/state/activate',
    {
      schema: {
        tags,
        summary: 'Activate a STAGED user',
        params,
        body: Type.Union([Activate, Type.Null()]),
        response: answers,
      },
      config: { scopes: WRITE, operationId: { legacy: 'systemusers_state_activate' } },
    },
    async ({ caller, params, body }, reply) => {
      await activateUser(context, caller, params.id, body?.email ?? true)
      return done(reply)
    },
  )

  app.post(
    '/systemusers/:id/state/suspend',
    {
      schema: { tags, summary: 'Suspend a user', params, response: answers },
      config: { scopes: WRITE, operationId: { legacy: 'systemusers_state_suspend' } },
    },
    async ({ caller, params }, reply) => {
      await suspendUser(context, caller, params.id)
      return done(reply)
    },
  )

  app.post(
    '/systemusers/:id/expire',
    {
      schema: { tags, summary: "Expire a user's password", params, response: answers },
      config: { scopes: WRITE, operationId: { legacy: 'systemusers_expire' } },
    },
    async ({ caller, params }, reply) => {
      await expirePassword(context, caller, params.id)
      return done(reply)
    },
  )

  app.post(
    '/systemusers/:id/unlock',
    {
      schema: { tags, summary: 'Unlock a user', params, response: answers },
      config: { scopes: WRITE, operationId: { legacy: 'systemusers_unlock' } },
    },
    async ({ caller, params }, reply) => {
      await unlockUser(context, caller, params.id)
      return done(reply)
    },
  )

  app.post(
    '/systemusers/:id/password',
    {
      schema: {
        tags,
        summary: "Set a user's password",
        params,
        body: SetPassword,
        response: answers,
      },
      config: { scopes: WRITE },
    },
    async ({ caller, params, body }, reply) => {
      await setPassword(context, caller, params.id, body.password)
      return done(reply)
    },
  )

  app.post(
    '/systemusers/:id/resetmfa',
    {
      schema: {
        tags,
        summary: "Remove a user's second factor and open a window to enrol a new one",
        params,
        body: Type.Union([MfaWrite, Type.Null()]),
        response: answers,
      },
      config: { scopes: WRITE, operationId: { legacy: 'systemusers_resetmfa' } },
    },
    async ({ caller, params, body }, reply) => {
      await resetMfa(context, caller, params.id, body ?? {})
      return done(reply)
    },
  )

  app.post(
    '/systemusers/:id/mfa/enforce',
    {
      schema: {
        tags,
        summary: 'Require a second factor of a user, optionally after a window to enrol one',
        params,
        body: Type.Union([MfaWrite, Type.Null()]),
        response: answers,
      },
      config: { scopes: WRITE },
    },
    async ({ caller, params, body }, reply) => {
      await enforceMfa(context, caller, params.id, body ?? {})
      return done(reply)
    },
  )

  app.post(
    '/systemusers/:id/mfasync',
    {
      schema: {
        tags,
        summary: "Recompute a user's second factor status; a no-op, as it is always up to date",
        params,
        response: { 200: Type.Null(), ...errors },
      },
      config: { scopes: WRITE, operationId: { legacy: 'systemusers_mfasync' } },
    },
    async ({ caller, params }, reply) => {
      await getUser(context, caller.organizationId, params.id)
      // An empty body, not "null".
      return reply.send('' as never)
    },
  )

  app.get(
    '/systemusers/:id/totpinfo',
    {
      schema: {
        tags,
        summary: 'Get the date a user enrolled TOTP',
        params,
        response: { 200: TotpInfo, ...errors },
      },
      config: { scopes: READ, operationId: { legacy: 'systemusers_totp_info' } },
    },
    async ({ caller, params }) => ({
      enrollmentDate: (await getUser(context, caller.organizationId, params.id)).totp_enrolled_at,
    }),
  )

  app.post(
    '/systemusers/:id/reactivate',
    {
      schema: {
        tags,
        summary: 'Lift a suspension and mail a link to choose a password',
        params,
        response: answers,
      },
      config: { scopes: WRITE },
    },
    async ({ caller, params }, reply) => {
      await reactivateUser(context, caller, params.id)
      return done(reply)
    },
  )

  app.post(
    '/systemusers/reactivate',
    {
      schema: {
        tags,
        summary: 'Mail several users a link to choose a password',
        body: ReactivateMany,
        response: answers,
      },
      config: { scopes: WRITE },
    },
    async ({ caller, body }, reply) => {
      for (const { _id } of body.models) await reactivateUser(context, caller, _id)
      return done(reply)
    },
  )

  app.get(
    '/systemusers/:id/sshkeys',
    {
      schema: {
        tags,
        summary: "List a user's SSH keys",
        params,
        response: { 200: Type.Array(SshKey), ...errors },
      },
      config: { scopes: READ, operationId: { legacy: 'sshkey_list' } },
    },
    ({ caller, params }) => sshKeysOf(context, caller.organizationId, params.id),
  )

  app.post(
    '/systemusers/:id/sshkeys',
    {
      schema: {
        tags,
        summary: 'Add an SSH key to a user',
        params,
        body: SshKeyWrite,
        response: { 200: SshKey, ...errors },
      },
      config: { scopes: WRITE, operationId: { legacy: 'sshkey_post' } },
    },
    ({ caller, params, body }) => addSshKey(context, caller, params.id, body),
  )

  app.delete(
    '/systemusers/:systemuser_id/sshkeys/:id',
    {
      schema: {
        tags,
        summary: 'Delete an SSH key of a user',
        params: Type.Object({ systemuser_id: Type.String(), id: Type.String() }),
        response: answers,
      },
      config: { scopes: WRITE, operationId: { legacy: 'sshkey_delete' } },
    },
    async ({ caller, params }, reply) => {
      await removeSshKey(context, caller, params.systemuser_id, params.id)
      return done(reply)
    },
  )
}
