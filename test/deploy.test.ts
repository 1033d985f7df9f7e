import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { BlockList } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { parse, parseAllDocuments } from 'yaml'
import { DEFAULT_DRAIN_SECONDS, settings } from '../server/platform/config.ts'
import { addRange, isPublic } from '../server/platform/outbound/addresses.ts'
import { IMPORTS } from './architecture/source.ts'
import { KUBERNETES } from './kubernetes-schema.ts'

// Checks of the deployment files that need no container engine.

const ROOT = join(import.meta.dirname, '..')
const DEPLOY = join(ROOT, 'deploy')
const read = (name: string): string => readFileSync(join(DEPLOY, name), 'utf8')

const OTHERS = ['NODE_ENV', 'POSTGRES_USER', 'POSTGRES_DB', 'POSTGRES_PASSWORD_FILE']
const known = new Set([
  ...OTHERS,
  ...Object.values(settings).flatMap((setting) =>
    'secret' in setting ? [setting.env, `${setting.env}_FILE`] : [setting.env],
  ),
])
function assertKnown(names: string[], where: string): void {
  assert.deepEqual(
    names.filter((name) => !known.has(name)),
    [],
    `${where} sets what nobody reads`,
  )
}

interface ComposeService {
  read_only?: boolean
  user?: string
  cap_drop?: string[]
  healthcheck?: { test: string[] }
  environment: Record<string, string>
  secrets: string[]
}
interface Compose {
  services: Record<string, ComposeService>
  secrets: Record<string, { file: string }>
}
interface Probe {
  httpGet: { path: string; port: string }
}
interface Container {
  securityContext: Record<string, unknown>
  env: { name: string; value: string }[]
  livenessProbe: Probe
  readinessProbe: Probe
  volumeMounts: { name: string; mountPath: string }[]
}
interface PodSpec {
  enableServiceLinks: boolean
  terminationGracePeriodSeconds: number
  securityContext: Record<string, unknown>
  containers: Container[]
  volumes: { name: string; secret?: { secretName: string } }[]
}
interface Ingress {
  spec: { tls: { hosts: string[] }[]; rules: { host: string }[] }
}
interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string }
  spec: { template: { spec: PodSpec }; selector: Record<string, unknown> }
  stringData: Record<string, string>
}

const ARGUMENTS: Record<string, RegExp> = {
  FROM: /^[\w.:/-]+( AS \w+)?$/,
  WORKDIR: /^\/\S*$/,
  COPY: /^(--from=\w+ )?\S+( \S+)+$/,
  RUN: /^\S/,
  ENV: /^([A-Z_]+=\S+ ?)+$/,
  VOLUME: /^\/\S+$/,
  USER: /^[1-9]\d*:[1-9]\d*$/,
  EXPOSE: /^\d+$/,
  HEALTHCHECK: /^(--[a-z-]+=\S+ +)*CMD \[.*\]$/,
  ENTRYPOINT: /^\[.*\]$/,
  CMD: /^\[.*\]$/,
}

const instructions = read('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [, name = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? []
    return { name, rest }
  })

test('the Dockerfile has only valid instructions, and the files it copies exist', () => {
  assert.equal(instructions[0]?.name, 'FROM')
  for (const { name, rest } of instructions) {
    assert.match(rest, ARGUMENTS[name] ?? /^$/, `${name} ${rest}`)
    if (rest.endsWith(']')) {
      const words: unknown = JSON.parse(rest.slice(rest.indexOf('[')))
      assert.ok(Array.isArray(words) && words.every((word) => typeof word === 'string'))
    }
    if (name === 'COPY' && !rest.startsWith('--from')) {
      for (const source of rest.split(' ').slice(0, -1))
        assert.ok(existsSync(join(ROOT, source)), `COPY ${source}`)
    }
  }
})

test('the image runs unprivileged, has a health check and sets only known settings', () => {
  const last = (wanted: string) => instructions.findLast(({ name }) => name === wanted)?.rest ?? ''
  assert.match(last('USER'), /^[1-9]/)
  assert.match(last('HEALTHCHECK'), /\/readyz/)
  assert.match(last('FROM'), /^node:24\b/)
  const env = instructions.filter(({ name }) => name === 'ENV').map(({ rest }) => rest)
  assertKnown(
    env.flatMap((rest) => rest.split(' ')).map((pair) => pair.split('=')[0]!),
    'Dockerfile',
  )
})

/** The file and its transitive imports, without those of tests. */
function importsFrom(file: string, seen = new Map<string, string[]>()): Map<string, string[]> {
  if (seen.has(file)) return seen
  const text = readFileSync(join(ROOT, file), 'utf8')
  const targets = [...text.matchAll(/(?:\bfrom |\bimport\()'([^'\s]+)'/g)].map(([, name]) => name!)
  seen.set(file, targets)
  for (const target of targets)
    if (target.startsWith('.')) importsFrom(join(file, '..', target), seen)
  return seen
}

test('the code in the image imports nothing that the image lacks', () => {
  const copied = instructions
    .filter(({ name, rest }) => name === 'COPY' && !rest.startsWith('--from'))
    .map(({ rest }) => rest.split(' ')[0])
  const manifest: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  )
  const imports = importsFrom('cli/main.ts')
  assert.ok(imports.has('server/app.ts'))
  for (const [file, targets] of imports) {
    assert.ok(copied.includes(file.split('/')[0]), file)
    for (const target of targets.filter((name) => !/^(\.|node:)/.test(name))) {
      const name = target.split('/').slice(0, target.startsWith('@') ? 2 : 1)
      assert.ok(name.join('/') in manifest.dependencies, `${file} imports ${target}`)
    }
  }
})

test('the pages are built from files that their stage has and that a new build depends on', () => {
  const begin = instructions.findIndex(({ rest }) => rest.endsWith(' AS web'))
  const stage = instructions.slice(
    begin,
    instructions.findLastIndex(({ name }) => name === 'FROM'),
  )
  const copied = stage.filter(({ name }) => name === 'COPY').map(({ rest }) => rest.split(' ')[0]!)
  const script = readFileSync(join(ROOT, 'scripts/build-web.mjs'), 'utf8')
  const foreign = IMPORTS.filter(
    ({ from, to, typeOnly }) =>
      from.startsWith('web/') && /^(client|server)\//.test(to) && !typeOnly,
  )
  assert.ok(foreign.length > 0)
  for (const { from, to } of foreign) {
    assert.ok(copied.includes(to.split('/')[0]!), `${from} imports ${to}`)
    assert.ok(script.includes(`'${to}'`), `a change of ${to} builds the pages again`)
  }
})

test('compose: every container is confined, has a health check, and sets only known settings', () => {
  const { services, secrets }: Compose = parse(read('compose.yaml'), { merge: true })
  assert.deepEqual(Object.keys(services).sort(), ['postgres', 'web', 'worker'])
  for (const [name, service] of Object.entries(services)) {
    assert.equal(service.read_only, true, name)
    assert.match(service.user ?? '', /^[1-9]\d*:[1-9]\d*$/, name)
    assert.deepEqual(service.cap_drop, ['ALL'], name)
    assert.ok(service.healthcheck?.test[0] === 'CMD', name)
    assertKnown(Object.keys(service.environment), name)
    for (const [key, value] of Object.entries(service.environment)) {
      if (key.endsWith('_FILE'))
        assert.ok(service.secrets.includes(value.replace('/run/secrets/', '')), `${name}: ${key}`)
    }
    for (const secret of service.secrets) assert.ok(secrets[secret]?.file, secret)
  }
})

/** Private networks only: outside clients must not be able to set X-Forwarded-For. */
function assertProxies(value: string | undefined, where: string): void {
  assert.ok(value, `${where} names no proxies`)
  for (const network of value.split(',')) {
    assert.ok(addRange(new BlockList(), network), `${where}: ${network}`)
    assert.equal(isPublic(network.split('/')[0]!), false, `${where}: ${network}`)
  }
}

test('web processes trust the proxies in front of them', () => {
  const { services }: Compose = parse(read('compose.yaml'), { merge: true })
  assertProxies(services.web?.environment.GATEHOUSE_TRUSTED_PROXIES, 'compose')
  const web = manifests.find(({ metadata }) => metadata.name === 'gatehouse-web')!
  const { env } = web.spec.template.spec.containers[0]!
  assertProxies(env.find(({ name }) => name === 'GATEHOUSE_TRUSTED_PROXIES')?.value, 'kubernetes')
})

const manifests = globSync(join(DEPLOY, 'kubernetes', '*.yaml')).flatMap((file) =>
  parseAllDocuments(readFileSync(file, 'utf8')).map((document) => {
    assert.deepEqual([...document.errors, ...document.warnings], [], file)
    const manifest: Manifest = document.toJS()
    return manifest
  }),
)

test('kubernetes: the expected objects exist', () => {
  assert.deepEqual(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort(), [
    'Deployment gatehouse-web',
    'Deployment gatehouse-worker',
    'Ingress gatehouse',
    'PodDisruptionBudget gatehouse-web',
    'Secret gatehouse',
    'Service gatehouse',
  ])
})

test('kubernetes: every object fits a strict schema', () => {
  const ajv = new Ajv({ strict: false, allErrors: true })
  for (const manifest of manifests) {
    const { kind, metadata } = manifest
    assert.ok(KUBERNETES[kind], kind)
    assert.ok(
      ajv.validate(KUBERNETES[kind]!, manifest),
      `${kind} ${metadata.name}: ${ajv.errorsText()}`,
    )
  }
  const [deployment] = manifests.filter(({ kind }) => kind === 'Deployment')
  const misspelt = { ...deployment, spec: { ...deployment!.spec, replica: 2 } }
  assert.equal(ajv.validate(KUBERNETES.Deployment!, misspelt), false)
})

test('the ingress and the proxy of compose serve the name of the public URL, with TLS', () => {
  const ingress: Ingress = parse(read('kubernetes/ingress.yaml'))
  const web = manifests.find(({ metadata }) => metadata.name === 'gatehouse-web')!
  const { env } = web.spec.template.spec.containers[0]!
  const url = new URL(env.find(({ name }) => name === 'GATEHOUSE_PUBLIC_URL')!.value)
  assert.equal(url.protocol, 'https:')
  assert.deepEqual(ingress.spec.tls[0]?.hosts, [url.hostname])
  assert.equal(ingress.spec.rules[0]?.host, url.hostname)
  const { services }: Compose = parse(read('compose.tls.yaml'))
  assert.deepEqual(Object.keys(services).sort(), ['proxy', 'web', 'worker'])
  assert.deepEqual(services.proxy?.cap_drop, ['ALL'])
  for (const name of ['web', 'worker'])
    assert.match(services[name]!.environment.GATEHOUSE_PUBLIC_URL!, /^https:/)
})

test('kubernetes: pods are confined, probed and set only known settings', () => {
  const secret = manifests.find(({ kind }) => kind === 'Secret')!
  for (const { spec, metadata } of manifests.filter(({ kind }) => kind === 'Deployment')) {
    const pod = spec.template.spec
    assert.equal(pod.enableServiceLinks, false, 'or the cluster adds unknown GATEHOUSE_ names')
    const { env } = pod.containers[0]!
    const drain = Number(
      env.find(({ name }) => name === settings.drainSeconds.env)?.value ?? DEFAULT_DRAIN_SECONDS,
    )
    assert.ok(
      pod.terminationGracePeriodSeconds > settings.shutdownSeconds.fallback + drain,
      'or requests are cut off',
    )
    assert.equal(pod.securityContext.runAsNonRoot, true)
    for (const container of pod.containers) {
      const { securityContext, env, livenessProbe, readinessProbe, volumeMounts } = container
      assert.equal(securityContext.readOnlyRootFilesystem, true)
      assert.equal(securityContext.allowPrivilegeEscalation, false)
      assert.deepEqual(securityContext.capabilities, { drop: ['ALL'] })
      assert.equal(livenessProbe.httpGet.path, '/healthz')
      // A full disk must not stop reads.
      const reads = metadata.name === 'gatehouse-web' ? '?for=reads' : ''
      assert.equal(readinessProbe.httpGet.path, `/readyz${reads}`)
      assertKnown(
        env.map(({ name }) => name),
        metadata.name,
      )
      for (const { name, value } of env.filter(({ name }) => name.endsWith('_FILE')))
        assert.ok(value.split('/').at(-1)! in secret.stringData, name)
      for (const { name } of volumeMounts) assert.ok(pod.volumes.some((v) => v.name === name))
    }
  }
})
