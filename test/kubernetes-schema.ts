import { type TSchema, Type } from 'typebox'

// The part of the Kubernetes API that deploy/kubernetes uses, closed: a misspelt or misplaced member is an error, which
// kubectl would only warn about. Types follow the API reference of Kubernetes 1.31.

const closed = (members: Record<string, TSchema>, optional: Record<string, TSchema> = {}) =>
  Type.Object(
    {
      ...members,
      ...Object.fromEntries(
        Object.entries(optional).map(([name, schema]) => [name, Type.Optional(schema)]),
      ),
    },
    { additionalProperties: false },
  )
const text = Type.String({ minLength: 1 })
const labels = Type.Record(Type.String(), Type.String())
const count = Type.Integer({ minimum: 0 })
const port = Type.Union([Type.String({ pattern: '^[a-z][a-z0-9-]{0,14}$' }), Type.Integer()])
const quantity = Type.String({ pattern: '^\\d+(\\.\\d+)?(m|Ki|Mi|Gi)?$' })
const name = Type.String({ pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$' })
const metadata = closed({ name }, { labels, annotations: labels })
const selector = closed({ matchLabels: labels })

const probe = closed(
  { httpGet: closed({ path: Type.String({ pattern: '^/' }), port }) },
  {
    periodSeconds: count,
    failureThreshold: count,
    timeoutSeconds: count,
    initialDelaySeconds: count,
  },
)
const container = closed(
  {
    name,
    image: text,
    resources: closed({
      requests: Type.Record(text, quantity),
      limits: Type.Record(text, quantity),
    }),
  },
  {
    securityContext: closed({
      allowPrivilegeEscalation: Type.Boolean(),
      readOnlyRootFilesystem: Type.Boolean(),
      capabilities: closed({ drop: Type.Array(text) }),
    }),
    // A number or boolean here is refused by the API: values are strings.
    env: Type.Array(
      closed({ name: Type.String({ pattern: '^[A-Z][A-Z0-9_]*$' }), value: Type.String() }),
    ),
    ports: Type.Array(closed({ name, containerPort: Type.Integer() })),
    startupProbe: probe,
    livenessProbe: probe,
    readinessProbe: probe,
    volumeMounts: Type.Array(closed({ name, mountPath: text }, { readOnly: Type.Boolean() })),
  },
)
const pod = closed(
  { containers: Type.Array(container, { minItems: 1 }) },
  {
    enableServiceLinks: Type.Boolean(),
    automountServiceAccountToken: Type.Boolean(),
    terminationGracePeriodSeconds: count,
    securityContext: closed({
      runAsNonRoot: Type.Boolean(),
      runAsUser: count,
      runAsGroup: count,
      fsGroup: count,
      seccompProfile: closed({ type: Type.Enum(['RuntimeDefault']) }),
    }),
    volumes: Type.Array(
      Type.Union([
        closed({ name, secret: closed({ secretName: name }, { defaultMode: count }) }),
        closed({ name, emptyDir: closed({}) }),
      ]),
    ),
  },
)
const object = (apiVersion: string, kind: string, members: Record<string, TSchema>) =>
  closed({ apiVersion: Type.Literal(apiVersion), kind: Type.Literal(kind), metadata, ...members })

export const KUBERNETES: Record<string, TSchema> = {
  Deployment: object('apps/v1', 'Deployment', {
    spec: closed(
      { selector, template: closed({ metadata: closed({ labels }), spec: pod }) },
      { replicas: count, strategy: Type.Object({}) },
    ),
  }),
  Service: object('v1', 'Service', {
    spec: closed({
      selector: labels,
      ports: Type.Array(closed({ name, port: Type.Integer(), targetPort: port })),
    }),
  }),
  PodDisruptionBudget: object('policy/v1', 'PodDisruptionBudget', {
    spec: closed({ minAvailable: count, selector }),
  }),
  Secret: object('v1', 'Secret', { stringData: labels, type: Type.Literal('Opaque') }),
  Ingress: object('networking.k8s.io/v1', 'Ingress', {
    spec: closed({
      ingressClassName: name,
      tls: Type.Array(closed({ hosts: Type.Array(text), secretName: name })),
      rules: Type.Array(
        closed({
          host: text,
          http: closed({
            paths: Type.Array(
              closed({
                path: Type.String({ pattern: '^/' }),
                pathType: Type.Enum(['Prefix', 'Exact', 'ImplementationSpecific']),
                backend: closed({ service: closed({ name, port: closed({ name }) }) }),
              }),
            ),
          }),
        }),
      ),
    }),
  }),
}
