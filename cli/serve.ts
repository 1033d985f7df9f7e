import { command } from './command.ts'

async function importDemo() {
  const { loadDemo, createDemoLab, connectPeople } = await import('../demo/index.ts')
  return { load: loadDemo, scim: await createDemoLab(), connectPeople }
}

export const verb = command({
  about: 'Runs the service until SIGTERM or SIGINT.',
  options: {
    port: { type: 'string', value: 'N', about: 'Port to listen on, instead of PORT' },
    host: { type: 'string', value: 'H', about: 'Address to listen on, instead of HOST' },
    demo: { type: 'boolean', about: 'Load the demo data first, unless already loaded' },
  },
  async run({ options: { port, host, demo } }) {
    const { serve } = await import('../server/main.ts')
    const testSp = async () => (await import('../lab/sp/routes.ts')).spRoutes
    await serve({ port, host, demo: demo ? await importDemo() : undefined, testSp })
  },
})
