import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '@reelkeep/testkit/settings'
import { parseAllDocuments } from 'yaml'

const run = promisify(execFile)
const chart = join(root, 'deploy/helm/reelkeep')

export type Labels = Readonly<Record<string, string>>

type Port = { readonly name?: string; readonly containerPort: number }
export type Container = {
  readonly name: string
  readonly args: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value?: string }[]
  readonly ports?: readonly Port[]
  readonly securityContext: object
  readonly resources: object
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
  readonly [probe: `${string}Probe`]: {
    readonly httpGet: { readonly path: string; readonly port: string }
  }
}
type Volume = {
  readonly name: string
  readonly secret?: { readonly items: readonly { readonly key: string }[] }
  readonly configMap?: {
    readonly name: string
    readonly items: readonly { readonly key: string; readonly path: string }[]
  }
}
type PodTemplate = {
  readonly metadata: { readonly labels: Labels }
  readonly spec: PodSpec
}
type PodSpec = {
  readonly containers: readonly Container[]
  readonly securityContext: object
  readonly automountServiceAccountToken: boolean
  readonly terminationGracePeriodSeconds?: number
  readonly volumes: readonly Volume[]
}
export type Opening = {
  readonly ports?: readonly { readonly port: number | string }[]
  readonly from?: readonly Peer[]
  readonly to?: readonly Peer[]
}
type Peer = { readonly podSelector?: { readonly matchLabels?: Labels } }
type Expression = {
  readonly key: string
  readonly operator: string
  readonly values: readonly string[]
}
export type Manifest = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly labels: Labels
    readonly annotations?: Labels
  }
  readonly spec: {
    readonly replicas?: number
    readonly selector?: Labels & { readonly matchLabels?: Labels }
    readonly podSelector?: {
      readonly matchLabels?: Labels
      readonly matchExpressions?: readonly Expression[]
    }
    readonly template?: PodTemplate
    readonly jobTemplate?: { readonly spec: { readonly template: PodTemplate } }
    readonly type?: string
    readonly externalTrafficPolicy?: string
    readonly suspend?: boolean
    readonly schedule?: string
    readonly ports?: readonly { readonly port: number; readonly targetPort: string }[]
    readonly policyTypes?: readonly string[]
    readonly ingress?: readonly Opening[]
    readonly egress?: readonly Opening[]
    readonly scaleTargetRef?: { readonly name: string }
    readonly triggers?: readonly { readonly metadata: Labels }[]
  }
}

/** The values that an operator has to set. */
export const leastValues = {
  image: { repository: 'registry.example/reelkeep' },
  secrets: { name: 'reelkeep' },
  settings: {
    storage: { STORAGE_ENDPOINT: 'https://s3.example' },
    api: { PUBLIC_URL: 'https://video.example' },
  },
  networkPolicy: {
    postgresTo: [{ ipBlock: { cidr: '10.0.5.10/32' } }],
    storageTo: [{ ipBlock: { cidr: '10.0.6.0/24' } }],
  },
}

/** Values that enable storage backups to another storage server. */
export const backupValues = {
  ...leastValues,
  settings: {
    ...leastValues.settings,
    backup: { BACKUP_STORAGE_ENDPOINT: 'https://backup.example' },
  },
  networkPolicy: {
    ...leastValues.networkPolicy,
    backupStorageTo: [{ ipBlock: { cidr: '10.9.0.0/24' } }],
  },
  backupStorage: { enabled: true },
}

/** Values that enable every feature. */
export const mostValues = {
  ...backupValues,
  secrets: {
    ...leastValues.secrets,
    uploadKey: ['STORAGE_UPLOAD_ACCESS_KEY_ID', 'STORAGE_UPLOAD_SECRET_ACCESS_KEY'],
  },
  api: { serviceType: 'LoadBalancer' },
  workers: Object.fromEntries(['light', 'encode', 'extras'].map((name) => [name, { autoscaling: { enabled: true } }])),
  autoscaling: { prometheusUrl: 'http://prometheus.monitoring.svc:9090' },
  ingress: { enabled: true, host: 'video.example', tlsSecretName: 'video-example' },
  privateCa: { configMap: 'authorities' },
  serviceAccountName: 'reelkeep',
  nodeSelector: { disk: 'fast' },
  tolerations: [{ key: 'video', operator: 'Exists' }],
  podAnnotations: { 'example.com/team': 'video' },
}

/** Uses Helm if it is installed, else our own small renderer with the same template language. */
export async function openRenderer() {
  const hasHelm = await run('helm', ['version']).then(
    () => true,
    () => false,
  )
  const ours = hasHelm ? '' : (await run(join(root, 'stack/chart-tools'))).stdout.trim()
  return async (values: object, release = 'demo'): Promise<Manifest[]> => {
    const folder = mkdtempSync(join(tmpdir(), 'chart-'))
    const file = join(folder, 'values.json')
    writeFileSync(file, JSON.stringify(values))
    const [program, args] = hasHelm
      ? ['helm', ['template', release, chart, '--namespace', 'video', '--values', file]]
      : [ours, [chart, file, release, 'video']]
    const { stdout } = await run(program, args).finally(() => rmSync(folder, { recursive: true }))
    return parseManifests(stdout)
  }
}

function parseManifests(text: string): Manifest[] {
  const documents = parseAllDocuments(text, { uniqueKeys: true })
  return [...documents].flatMap((document) => {
    const [error] = document.errors ?? []
    if (error) throw error
    const manifest = document.toJS() as Manifest | null
    return manifest ? [manifest] : []
  })
}
