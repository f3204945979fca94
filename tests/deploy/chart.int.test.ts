import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject'
import { queueNames } from '@reelkeep/server/kernel/queues.ts'
import { queues } from '@reelkeep/server/platform/jobs/queues.ts'
import { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import { CronJob } from 'kubernetes-models/batch/v1/CronJob'
import { Job } from 'kubernetes-models/batch/v1/Job'
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { Service } from 'kubernetes-models/v1/Service'
import { describe, expect, it } from 'vitest'
import { causes } from '../../deploy/monitoring/causes.ts'
import {
  backupValues,
  type Container,
  type Labels,
  leastValues,
  type Manifest,
  mostValues,
  type Opening,
  openRenderer,
} from './chart.ts'
import { administerWith, type Command, startWith, strangersIn } from './settings.ts'

const collector = 'http://collector.tracing.svc:4318'

const models = {
  CronJob,
  Deployment,
  Job,
  Ingress,
  NetworkPolicy,
  PodDisruptionBudget,
  ScaledObject,
  Service,
}

const render = await openRenderer()
const least = await render(leastValues)
const most = await render(mostValues)

const weightOf = (manifest: Manifest | undefined) => Number(manifest?.metadata.annotations?.['helm.sh/hook-weight'])
const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`
const ofKind = (kind: keyof typeof models) => most.filter((manifest) => manifest.kind === kind)
const pods = most.flatMap((manifest) => {
  const template = manifest.spec.template ?? manifest.spec.jobTemplate?.spec.template
  return template ? [{ name: nameOf(manifest), manifest, ...template }] : []
})
const containers = pods.flatMap(({ name, spec }) => spec.containers.map((container) => ({ name, spec, container })))
const includes = (labels: Labels, wanted: Labels) =>
  Object.entries(wanted).every(([name, value]) => labels[name] === value)

const environmentOf = ({ env = [] }: Container) =>
  Object.fromEntries(env.map(({ name, value = 'from the pod' }) => [name, value]))

describe('the chart', () => {
  it('can be rendered with minimal values and with all values', () => {
    expect(least.map(nameOf)).toEqual(expect.arrayContaining(['Deployment demo-api', 'Job demo-migrate']))
    expect(least.map(({ kind }) => kind)).not.toContain('ScaledObject')
    expect(new Set(most.map(({ kind }) => kind))).toEqual(new Set(Object.keys(models)))
  })

  it('gives every resource a unique name', () => {
    expect(new Set(most.map(nameOf)).size).toBe(most.length)
  })

  it('shortens names that would be too long with a long release name', async () => {
    const long = await render(mostValues, 'a'.repeat(53))
    // Kubernetes names the jobs of a CronJob by its name and eleven more characters.
    const lengthMax = { CronJob: 52 } as Record<string, number>
    const tooLong = long.filter(({ kind, metadata }) => metadata.name.length > (lengthMax[kind] ?? 63))
    expect(tooLong.map(nameOf)).toEqual([])
  })

  it.each(most.map((manifest) => [nameOf(manifest), manifest] as const))(
    'renders %s, which matches the schema of Kubernetes or KEDA',
    (_, manifest) => {
      const Model = models[manifest.kind as keyof typeof models]
      const model = new Model(manifest as never)
      expect(manifest.apiVersion).toBe(model.apiVersion)
      expect(() => model.validate()).not.toThrow()
    },
  )

  it.each([
    ['image.repository', { image: { repository: '' } }],
    ['secrets.name', { secrets: { name: '' } }],
    ['STORAGE_ENDPOINT', { settings: { ...leastValues.settings, storage: { STORAGE_ENDPOINT: '' } } }],
    ['networkPolicy.postgresTo', { networkPolicy: { ...leastValues.networkPolicy, postgresTo: [] } }],
    ['networkPolicy.operationsFrom', { networkPolicy: { ...leastValues.networkPolicy, operationsFrom: [] } }],
    [
      'networkPolicy.collectorTo',
      { settings: { ...leastValues.settings, shared: { OTEL_EXPORTER_OTLP_ENDPOINT: collector } } },
    ],
    ['networkPolicy.backupStorageTo', { settings: backupValues.settings, networkPolicy: leastValues.networkPolicy }],
    ['BACKUP_STORAGE_ENDPOINT', { backupStorage: { enabled: true } }],
    ['autoscaling.prometheusUrl', { workers: { encode: { autoscaling: { enabled: true } } } }],
  ])('fails to render with a message if %s is missing', async (name, values) => {
    await expect(render({ ...leastValues, ...values })).rejects.toThrow(name)
  })
})

describe('the settings in the chart', () => {
  it.each(containers)('of $name are all read by its command, and secrets come from files', ({ container }) => {
    expect(strangersIn(container.args[0] as Command, environmentOf(container))).toEqual([])
  })

  it.each(containers)('of $name are sufficient for its command to start', ({ container }) => {
    expect(() => startWith(container.args[0] as Command, environmentOf(container))).not.toThrow()
  })

  it.each(containers)('of $name refer exactly to the mounted secret files', ({ container, spec }) => {
    const mounted = spec.volumes.flatMap(({ secret }) => secret?.items.map(({ key }) => key) ?? [])
    const named = Object.entries(environmentOf(container)).filter(([, value]) => value.startsWith('/run/secrets/'))
    expect(named).toEqual(mounted.map((key) => [`${key}_FILE`, `/run/secrets/reelkeep/${key}`]))
  })

  it.each(containers)('of $name refer to the mounted private CA', (it) => {
    const volume = it.spec.volumes.find(({ configMap }) => configMap?.name === 'authorities')
    const mount = it.container.volumeMounts.find(({ name }) => name === volume?.name)
    const file = `${mount?.mountPath}/${volume?.configMap?.items[0]?.path}`
    expect(environmentOf(it.container)).toMatchObject({
      NODE_EXTRA_CA_CERTS: file,
      SSL_CERT_FILE: file,
    })
  })

  it('assign every queue to a worker', () => {
    const assigned = containers.flatMap(({ container }) => environmentOf(container)['WORKER_QUEUES']?.split(',') ?? [])
    expect(assigned.sort()).toEqual([...queueNames].sort())
  })
})

describe('the pods in the chart', () => {
  it.each(pods)('of $name match the selector of $name', ({ manifest, metadata }) => {
    const wanted = manifest.spec.selector?.matchLabels
    if (manifest.kind === 'Deployment') expect(includes(metadata.labels, wanted ?? { no: '' })).toBe(true)
  })

  it.each(containers)('of $name run unprivileged, without capabilities', ({ spec, container }) => {
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001 })
    expect(spec.automountServiceAccountToken).toBe(false)
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })

  it("have the runtime's seccomp profile, except for workers, whose sandbox needs more", () => {
    for (const { name, spec } of pods)
      expect(spec.securityContext, name).toMatchObject({
        seccompProfile: { type: name.includes('worker') ? 'Unconfined' : 'RuntimeDefault' },
      })
  })

  it('have only volumes allowed by the "restricted" standard, except for workers', () => {
    const kinds = pods
      .filter(({ name }) => !name.includes('worker'))
      .flatMap(({ spec }) => spec.volumes.flatMap(({ name: _, ...kind }) => Object.keys(kind)))
    expect(new Set(kinds)).toEqual(new Set(['secret', 'configMap', 'emptyDir']))
  })

  it('are unconfined by AppArmor if they run workers, unless the operator removes the field', async () => {
    const spared = await render({ ...leastValues, workerAppArmorProfile: null })
    const profiles = (manifests: readonly Manifest[]) =>
      manifests
        .filter(({ metadata }) => metadata.name === 'demo-worker-encode')
        .map(({ spec }) => spec.template?.spec.securityContext ?? {})
        .find((context) => 'seccompProfile' in context)
    expect(profiles(least)).toMatchObject({ appArmorProfile: { type: 'Unconfined' } })
    expect(profiles(spared)).not.toHaveProperty('appArmorProfile')
  })

  it.each(containers)('of $name have probes only for their own ports', ({ container }) => {
    const ports = (container.ports ?? []).map(({ name }) => name)
    const probes = Object.entries(container).filter(([name]) => name.endsWith('Probe'))
    if (['api', 'worker'].includes(container.name)) expect(probes).toHaveLength(3)
    for (const [name, probe] of probes as [string, Container['readinessProbe']][]) {
      expect(ports).toContain(probe?.httpGet.port)
      const readiness = container.name === 'api' ? '/readyz/playback' : '/readyz'
      expect(probe?.httpGet.path).toBe(name === 'readinessProbe' ? readiness : '/livez')
    }
  })

  it.each(containers)('of $name have enough termination time for a drain and a forced stop', (it) => {
    const { DRAIN_SECONDS, WORKER_DRAIN_SECONDS } = environmentOf(it.container)
    const drainSeconds = Number(WORKER_DRAIN_SECONDS ?? DRAIN_SECONDS ?? Number.NaN)
    if (Number.isNaN(drainSeconds)) return
    expect(it.spec.terminationGracePeriodSeconds).toBeGreaterThan(drainSeconds + 30)
  })
})

describe('the selectors and services in the chart', () => {
  const selectorOf = ({ spec }: Manifest): Labels =>
    spec.podSelector?.matchLabels ?? spec.selector?.matchLabels ?? spec.selector ?? {}

  it.each(
    [...ofKind('Service'), ...ofKind('PodDisruptionBudget'), ...ofKind('NetworkPolicy')].map(
      (manifest) => [nameOf(manifest), manifest] as const,
    ),
  )('match some pods: %s', (_, manifest) => {
    const found = pods.filter(({ metadata }) => includes(metadata.labels, selectorOf(manifest)))
    expect(found.length).toBeGreaterThan(0)
  })

  it('include a disruption budget for each Deployment', () => {
    expect(ofKind('PodDisruptionBudget').map((budget) => selectorOf(budget))).toEqual(
      ofKind('Deployment').map((deployment) => selectorOf(deployment)),
    )
  })

  it('select pods that have the target ports of each Service', () => {
    for (const service of ofKind('Service')) {
      const found = containers.filter(({ name }) => name === 'Deployment demo-api')
      const ports = found.flatMap(({ container }) => container.ports?.map(({ name }) => name))
      for (const { targetPort } of service.spec.ports ?? []) expect(ports).toContain(targetPort)
    }
  })

  it('can let an edge reach the API without the ingress, with the IP address of the edge', () => {
    const serviceOf = (manifests: readonly Manifest[]) =>
      manifests.find((manifest) => nameOf(manifest) === 'Service demo-api')?.spec
    expect(serviceOf(least)).toMatchObject({ type: 'ClusterIP' })
    expect(serviceOf(least)).not.toHaveProperty('externalTrafficPolicy')
    // With another traffic policy, nodes would replace the client's IP address, and no rule for the edges could match.
    expect(serviceOf(most)).toMatchObject({ type: 'LoadBalancer', externalTrafficPolicy: 'Local' })
  })

  it('scale each Deployment of workers by its own queues, without a fixed replica count', () => {
    const deployments = new Map(ofKind('Deployment').map((it) => [it.metadata.name, it]))
    expect(ofKind('ScaledObject')).toHaveLength(3)
    for (const { spec } of ofKind('ScaledObject')) {
      const deployment = deployments.get(spec.scaleTargetRef?.name ?? '')
      const [container] = deployment?.spec.template?.spec.containers ?? []
      const assigned = container && environmentOf(container)['WORKER_QUEUES']?.split(',')
      const scaledQueues = spec.triggers?.map(({ metadata }) => /queue="(\w+)"/.exec(metadata['query'] ?? '')?.[1])
      expect(deployment?.spec.replicas).toBeUndefined()
      expect(scaledQueues).toEqual(assigned)
      // With other settings, KEDA would treat a queue as empty, or use the fallback, if Prometheus returns no value.
      for (const { metadata } of spec.triggers ?? []) expect(metadata['ignoreNullValues']).toBe('false')
      expect(spec).not.toHaveProperty('fallback')
    }
  })
})

describe('the CronJobs in the chart', () => {
  const jobNamed = (manifests: readonly Manifest[], name: string) =>
    manifests.find((manifest) => nameOf(manifest) === `CronJob demo-${name}`)
  const containerOf = (manifest: Manifest | undefined) => manifest?.spec.jobTemplate?.spec.template.spec.containers[0]

  it('include a suspended one from which administrators create jobs', () => {
    expect(jobNamed(least, 'admin')?.spec.suspend).toBe(true)
    expect(containerOf(jobNamed(least, 'admin'))?.args).toEqual(['admin', '--help'])
  })

  it('include an hourly storage backup only if it is enabled', () => {
    expect(jobNamed(least, 'backup-storage')).toBeUndefined()
    expect(jobNamed(most, 'backup-storage')?.spec).toMatchObject({
      suspend: false,
      schedule: '17 * * * *',
      concurrencyPolicy: 'Forbid',
    })
    expect(containerOf(jobNamed(most, 'backup-storage'))?.args).toEqual(['admin', 'backup-storage'])
  })

  it('include the backup under the name that the alert for old backups uses', () => {
    const watched = causes
      .filter(({ name }) => name === 'BackupJobTooOld')
      .flatMap(({ expression }) => [...expression.matchAll(/cronjob=~"([^"]+)"/g)])
      .map(([, pattern]) => new RegExp(`^(?:${pattern})$`))
    expect(watched.length).toBeGreaterThan(1)
    const names = ofKind('CronJob').map(({ metadata }) => metadata.name)
    for (const pattern of watched) expect(names.filter((name) => pattern.test(name))).toEqual(['demo-backup-storage'])
  })

  it.each(['admin', 'backup-storage'])('have the settings of storage, its backup and the keys in %s', (name) => {
    const container = containerOf(jobNamed(most, name))
    const environment = container ? environmentOf(container) : {}
    expect(administerWith(environment)).toMatchObject({
      STORAGE_ENDPOINT: 'https://s3.example',
      BACKUP_STORAGE_ENDPOINT: 'https://backup.example',
      PUBLIC_URL: 'https://video.example',
      KEY_ENCRYPTION_KEYS: expect.anything(),
    })
  })

  it('have no backup secrets if the backup is disabled', () => {
    const container = containerOf(jobNamed(least, 'admin'))
    const names = container ? Object.keys(environmentOf(container)) : []
    expect(names).toContain('DATABASE_OWNER_URL_FILE')
    expect(names.filter((name) => name.endsWith('_FILE') && name.startsWith('BACKUP'))).toEqual([])
  })

  it('are the only pods that may connect to the backup storage', () => {
    const to = backupValues.networkPolicy.backupStorageTo
    const opening = most.filter(({ spec }) =>
      spec.egress?.some((rule) => JSON.stringify(rule.to) === JSON.stringify(to)),
    )
    expect(opening.map(({ spec }) => spec.podSelector?.matchExpressions)).toEqual([
      [
        {
          key: 'app.kubernetes.io/component',
          operator: 'In',
          values: ['admin', 'backup-storage'],
        },
      ],
    ])
    const components = pods
      .filter(({ name }) => name.startsWith('CronJob'))
      .map(({ metadata }) => metadata.labels['app.kubernetes.io/component'])
    expect(components).toEqual(['admin', 'backup-storage'])
  })
})

describe('the autoscaling in the chart', () => {
  it.each(queueNames)('requests one worker for as many jobs of %s as a worker runs concurrently', (queue) => {
    const triggers = ofKind('ScaledObject').flatMap(({ spec }) => spec.triggers ?? [])
    const scaling = triggers.filter(({ metadata }) => metadata['query']?.includes(`"${queue}"`))
    expect(scaling.map(({ metadata }) => metadata['threshold'])).toEqual([String(queues[queue].workerConcurrency)])
  })
})

describe('the network policies in the chart', () => {
  const policies = ofKind('NetworkPolicy')
  const about = (labels: Labels, type: 'ingress' | 'egress') =>
    policies
      .filter(({ spec }) => includes(labels, spec.podSelector?.matchLabels ?? {}))
      .flatMap(({ spec }) => spec[type] ?? [])

  it('deny all traffic of every pod that no other policy allows, in both directions', () => {
    const shut = policies.find(({ metadata }) => metadata.name.endsWith('-nothing'))
    expect(shut?.spec).toMatchObject({ policyTypes: ['Ingress', 'Egress'] })
    expect(shut?.spec).not.toHaveProperty('ingress')
    for (const { metadata } of pods)
      expect(includes(metadata.labels, shut?.spec.podSelector?.matchLabels ?? { no: '' })).toBe(true)
  })

  it('allow traces to the collector, if one is configured', async () => {
    const collectorTo = [{ ipBlock: { cidr: '10.0.7.1/32' } }]
    const traced = await render({
      ...leastValues,
      settings: { ...leastValues.settings, shared: { OTEL_EXPORTER_OTLP_ENDPOINT: collector } },
      networkPolicy: { ...leastValues.networkPolicy, collectorTo },
    })
    const out = traced.find(({ metadata }) => metadata.name === 'demo-out')
    expect(out?.spec.egress).toContainEqual({
      to: collectorTo,
      ports: [{ protocol: 'TCP', port: 4318 }],
    })
  })

  it('are created before the hook jobs, so that these can reach new endpoints during an upgrade', () => {
    const hooks = most.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'])
    const [policy, ...others] = hooks.toSorted((a, b) => weightOf(a) - weightOf(b))
    expect(others.map(({ kind }) => kind)).toEqual(['Job', 'Job'])
    expect(new Set(hooks.map(({ metadata }) => metadata.annotations?.['helm.sh/hook']))).toEqual(
      new Set(['pre-install,pre-upgrade']),
    )
    expect(weightOf(policy)).toBeLessThan(weightOf(others[0]))
    expect(policy?.spec.podSelector?.matchExpressions?.[0]?.values).toEqual(
      others.map(({ metadata }) => metadata.labels['app.kubernetes.io/component']),
    )
    expect(policies.map(({ metadata }) => metadata.name)).toContain(policy?.metadata.name)
    const out = policies.find(({ metadata }) => metadata.name === 'demo-out')
    expect(policy?.spec.egress).toEqual(out?.spec.egress)
    expect(policy?.spec.egress).toContainEqual(expect.objectContaining({ to: leastValues.networkPolicy.postgresTo }))
  })

  it('do not include one for hook jobs if these are disabled', async () => {
    const off = { enabled: false }
    const without = await render({ ...leastValues, migrate: off, setupStorage: off })
    expect(least.map(nameOf)).toContain('NetworkPolicy demo-hooks-out')
    expect(without.map(nameOf)).not.toContain('NetworkPolicy demo-hooks-out')
  })

  it("allow the API's doctor to reach the operations port of every API, which receives notifications", () => {
    const api = pods.find(({ name }) => name === 'Deployment demo-api')
    const labels = api?.metadata.labels ?? {}
    const named = api?.spec.containers[0]?.ports?.find(({ name }) => name === 'operations')
    const isToApi = (peers: Opening['to'] = []) =>
      peers.some(({ podSelector }) => includes(labels, podSelector?.matchLabels ?? { no: '' }))
    const [service] = ofKind('Service').filter(({ metadata }) => metadata.name.endsWith('-operations'))
    expect(named?.containerPort).toBe(8081)
    expect(service?.spec.ports).toMatchObject([{ port: 8081, targetPort: 'operations' }])
    expect(about(labels, 'egress').filter(({ to }) => isToApi(to))).toMatchObject([{ ports: [{ port: 8081 }] }])
    expect(about(labels, 'ingress').filter(({ from }) => isToApi(from))).toMatchObject([
      { ports: [{ port: 'operations' }] },
    ])
  })

  it('allow access to workers only on their operations port', () => {
    const workers = pods.filter(({ name }) => name.includes('worker'))
    expect(workers).toHaveLength(3)
    for (const { metadata } of workers)
      expect(about(metadata.labels, 'ingress')).toMatchObject([
        { ports: [{ port: 'operations' }], from: [{ namespaceSelector: {} }] },
      ])
  })

  it('have no rule without a peer, which would allow all peers', () => {
    const rules = policies.flatMap(({ spec }) => [...(spec.ingress ?? []), ...(spec.egress ?? [])])
    expect(rules.length).toBeGreaterThan(5)
    for (const rule of rules) expect((rule.to ?? rule.from ?? []).length).toBeGreaterThan(0)
  })
})
