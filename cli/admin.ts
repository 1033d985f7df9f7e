import {
  builtInRole,
  listAllAdministrators,
  resetKeyAsOperator,
  resetPasswordAsOperator,
  resetTotpAsOperator,
  setSuspendedAsOperator,
} from '../server/admins/index.ts'
import { adminCreate } from './admin-create.ts'
import { type Command, command } from './command.ts'
import { pairs, print, table } from './output.ts'
import { withRuntime } from './runtime.ts'

const list = command({
  about: 'Lists the administrators of all organizations and providers.',
  json: true,
  run: ({ json }) =>
    withRuntime(async ({ db }) => {
      const administrators = (await listAllAdministrators(db)).map(
        ({ role_ids, key_prefix, ...row }) => ({
          ...row,
          // The name of a custom role is in a tenant table; its id is enough here.
          roles: role_ids.map((id) => builtInRole(id)?.name ?? id),
          keyPrefix: key_prefix,
        }),
      )
      print(json, administrators, () =>
        table(
          ['E-MAIL', 'ROLES', 'HOME', 'KEY', 'TOTP', 'STATE'],
          administrators.map((row) => [
            row.email,
            row.roles.join(', '),
            row.provider ? `provider ${row.provider}` : `organization ${row.organization}`,
            row.keyPrefix ? `${row.keyPrefix}…` : '-',
            row.totp ? 'yes' : '-',
            row.suspended ? 'suspended' : 'active',
          ]),
        ),
      )
    }),
})

const suspension = (about: string, suspended: boolean): Command => {
  const state = suspended ? 'suspended' : 'not suspended'
  return command({
    about,
    operands: ['EMAIL'],
    json: true,
    run: ({ operands: [email], json }) =>
      withRuntime(async ({ db }) => {
        const changed = await setSuspendedAsOperator(db, email!, suspended)
        print(json, { email, suspended, changed }, () => [
          changed ? `${email} is now ${state}.` : `${email} is already ${state}.`,
        ])
      }),
  })
}

export const verb: { [subVerb: string]: Command } = {
  list,
  create: adminCreate,
  'reset-key': command({
    about: 'Replaces the API key of an administrator; the old key stops working.',
    operands: ['EMAIL'],
    json: true,
    run: ({ operands: [email], json }) =>
      withRuntime(async ({ db }) => {
        const apiKey = await resetKeyAsOperator(db, email!)
        print(json, { email, apiKey }, () => [
          'The new key, shown only once:',
          ...pairs({ 'e-mail': email!, 'API key': apiKey }),
        ])
      }),
  }),
  'reset-password': command({
    about: 'Replaces the password of an administrator and ends all sessions.',
    operands: ['EMAIL'],
    json: true,
    run: ({ operands: [email], json }) =>
      withRuntime(async ({ db }) => {
        const password = await resetPasswordAsOperator(db, email!)
        print(json, { email, password }, () => [
          'The new password, shown only once:',
          ...pairs({ 'e-mail': email!, password }),
        ])
      }),
  }),
  'reset-totp': command({
    about: 'Removes the second factor of an administrator and ends all sessions.',
    operands: ['EMAIL'],
    json: true,
    run: ({ operands: [email], json }) =>
      withRuntime(async ({ db }) => {
        const changed = await resetTotpAsOperator(db, email!)
        print(json, { email, changed }, () => [
          changed
            ? `${email} signs in without a second factor and can enrol a new one.`
            : `${email} has no second factor.`,
        ])
      }),
  }),
  suspend: suspension(
    'Suspends an administrator: sessions end and the API key stops working.',
    true,
  ),
  unsuspend: suspension('Lifts the suspension of an administrator.', false),
}
