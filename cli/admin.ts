import {
  builtInRole,
  listAllAdministrators,
  resetKeyAsOperator,
  resetPasswordAsOperator,
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
          // A role of the organization's own has its name in a tenant table; its id will do here.
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
          changed ? `${email} is now ${state}.` : `${email} is ${state} already.`,
        ])
      }),
  })
}

export const verb: { [subVerb: string]: Command } = {
  list,
  create: adminCreate,
  'reset-key': command({
    about: 'Gives an administrator a new API key; the old one fails at once.',
    operands: ['EMAIL'],
    json: true,
    run: ({ operands: [email], json }) =>
      withRuntime(async ({ db }) => {
        const apiKey = await resetKeyAsOperator(db, email!)
        print(json, { email, apiKey }, () => [
          'The new key, shown this once:',
          ...pairs({ 'e-mail': email!, 'API key': apiKey }),
        ])
      }),
  }),
  'reset-password': command({
    about: 'Gives an administrator a new password and ends all sessions.',
    operands: ['EMAIL'],
    json: true,
    run: ({ operands: [email], json }) =>
      withRuntime(async ({ db }) => {
        const password = await resetPasswordAsOperator(db, email!)
        print(json, { email, password }, () => [
          'The new password, shown this once:',
          ...pairs({ 'e-mail': email!, password }),
        ])
      }),
  }),
  suspend: suspension('Locks an administrator out: sessions end, the API key fails.', true),
  unsuspend: suspension('Lets a suspended administrator back in.', false),
}
