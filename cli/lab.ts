import { serveSp } from '../lab/sp/serve.ts'
import { command, UsageError } from './command.ts'

const PORT = 8090

export const verb = {
  sp: command({
    about: 'Runs a SAML service provider on this machine that shows what an application receives.',
    options: {
      idp: { type: 'string', value: 'URL', about: 'URL of Gatehouse (http://localhost:8080)' },
      port: { type: 'string', value: 'N', about: `Port to listen on (${PORT})` },
    },
    notes: [
      'Create an application with the entity ID and the ACS URL shown on its page, give a user',
      'access to it, and sign in.',
    ],
    async run({ options: { idp = 'http://localhost:8080', port = String(PORT) } }) {
      if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535)
        throw new UsageError('--port must be a number from 1 to 65535')
      if (!URL.canParse(idp))
        throw new UsageError('--idp must be a URL such as https://id.example.com')
      const lab = await serveSp({ port: Number(port), idp: idp.replace(/\/+$/, '') })
      process.stdout.write(`The service provider is at ${lab.sp}; press Ctrl-C to stop.\n`)
      for (const signal of ['SIGINT', 'SIGTERM'] as const)
        process.once(signal, () => void lab.close().then(() => process.exit(0)))
    },
  }),
}
