/**
 * The API and worker pods of the Helm chart, run by `podman kube play` beside the Postgres and storage of another
 * project. podman 4.3 lacks parts of Kubernetes, so `adapt` changes what it cannot run.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, poll, root } from '@reelkeep/testkit'
import { leastValues, type Manifest, openRenderer } from '../../../tests/deploy/chart.ts'
import type { DrillReport } from '../support/drill-report.ts'
import type { ComposeProject } from './compose-project.ts'
import type { Engine } from './engine.ts'

const READY_SECONDS_MAX = 60
const secretNames = ['DATABASE_URL', 'DATABASE_WORKER_URL', 'KEY_ENCRYPTION_KEYS', 'PLAYBACK_SECRET']
const uploadKey = ['STORAGE_UPLOAD_ACCESS_KEY_ID', 'STORAGE_UPLOAD_SECRET_ACCESS_KEY']
const storageSecretNames = ['STORAGE_ACCESS_KEY_ID', 'STORAGE_SECRET_ACCESS_KEY', ...uploadKey]

type Input = {
  readonly engine: Engine
  readonly report: DrillReport
  readonly project: ComposeProject
  readonly folder: string
  /** The folder of `make-secrets`. */
  readonly secrets: string
  readonly networks: readonly string[]
  readonly images: { readonly old: string; readonly new: string }
  readonly storage: { readonly STORAGE_ENDPOINT: string; readonly STORAGE_PUBLIC_ENDPOINT: string }
  readonly account: Record<string, string>
  readonly clip: string
}

export async function runChartPods(input: Input): Promise<void> {
  const { report, project, account, clip } = input
  const pods = new Pods(input)
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => pods.stopAll())
  const ports = { http: await freePort(), operations: await freePort() }
  const url = `http://127.0.0.1:${ports.http}`
  await pods.play('old', await pods.render('reelkeep-api', input.images.old, url), ports)
  const worker = await pods.render('reelkeep-worker-light', input.images.old, url)
  await pods.play('worker', worker, { operations: await freePort() })
  const link = await project.upload(clip, { ...account, REELKEEP_URL: url })
  await project.play(link)
  report.check('chart: a video plays from the pods of the API and a worker', 'yes', { isPassed: true })

  const newPorts = { http: await freePort(), operations: await freePort() }
  const newUrl = `http://127.0.0.1:${newPorts.http}`
  await pods.play('new', await pods.render('reelkeep-api', input.images.new, newUrl), newPorts)
  await pods.stop('old')
  await project.play(link.replace(url, newUrl))
  report.check('chart: it plays after a new pod was ready and the old one stopped', 'yes', { isPassed: true })
}

type Ports = Readonly<Record<string, number>>

const profile = { 'seccomp.security.alpha.kubernetes.io/pod': 'localhost/worker-seccomp.json' }

class Pods {
  readonly #input: Input
  readonly #secrets: string
  readonly #files = new Map<string, string>()

  constructor(input: Input) {
    this.#input = input
    this.#secrets = join(input.folder, 'pod-secrets')
    mkdirSync(this.#secrets)
    for (const name of [...secretNames, ...storageSecretNames]) {
      writeFileSync(join(this.#secrets, name), readFileSync(join(input.secrets, name.toLowerCase())))
    }
  }

  async render(name: string, image: string, url: string): Promise<Manifest> {
    const render = await openRenderer()
    const [repository = '', tag] = image.split(':')
    const manifests = await render(
      {
        ...leastValues,
        image: { repository, tag },
        secrets: { ...leastValues.secrets, uploadKey },
        settings: { storage: this.#input.storage, api: { PUBLIC_URL: url, DRAIN_SECONDS: 1 } },
      },
      'reelkeep',
    )
    const found = manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name)
    if (!found) throw new Error(`The chart has no Deployment ${name}.`)
    return found
  }

  /** Starts one pod of a Deployment; resolves when its operations port reports that it is ready or alive. */
  async play(name: string, deployment: Manifest, ports: Ports): Promise<void> {
    const file = join(this.#input.folder, `${name}.json`)
    writeFileSync(file, JSON.stringify(this.#adapt(name, deployment, ports)))
    this.#files.set(name, file)
    const networks = this.#input.networks.map((network) => `--network=${network}`)
    const profiles = `--seccomp-profile-root=${join(root, 'deploy/docker')}`
    await this.#input.engine.podman('kube', 'play', profiles, ...networks, file)
    const path = ports['http'] ? 'readyz' : 'livez'
    const url = `http://127.0.0.1:${ports['operations']}/${path}`
    await poll(`the pod ${name} of the chart to be ready`, READY_SECONDS_MAX, () => responds(url))
  }

  #adapt(name: string, { spec }: Manifest, ports: Ports): object {
    const { template } = spec
    if (!template) throw new Error('The Deployment has no pod template.')
    const containers = template.spec.containers.map(
      ({ livenessProbe, startupProbe, readinessProbe, ...container }) => ({
        // Probes are left out: podman executes curl in the container, which the image does not have.
        ...container,
        // podman publishes every port, so each pod gets free ones.
        ports: container.ports?.map((port) => ({ ...port, hostPort: ports[port.name ?? ''], hostIP: '127.0.0.1' })),
        // One pod instead of three classes of workers.
        env: container.env?.map((setting) =>
          setting.name === 'WORKER_QUEUES' ? { ...setting, value: 'light,probe,encode,extras' } : setting,
        ),
      }),
    )
    // podman 4.3 mounts the values of a Secret in base64.
    const volumes = template.spec.volumes.map(({ secret, ...volume }) =>
      secret ? { ...volume, hostPath: { path: this.#secrets, type: 'Directory' } } : volume,
    )
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      // podman ignores the profile in the security context and reads this annotation, which Kubernetes has dropped.
      metadata: { ...template.metadata, name: `reelkeep-chart-${name}`, annotations: name === 'worker' ? profile : {} },
      spec: { ...template.spec, containers, volumes },
    }
  }

  async stop(name: string): Promise<void> {
    const file = this.#files.get(name)
    if (!file) return
    this.#files.delete(name)
    await this.#input.engine.podman('kube', 'down', file)
  }

  async stopAll(): Promise<void> {
    for (const name of this.#files.keys()) await this.stop(name)
  }
}

const responds = (url: string) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
