/**
 * The Compose file for production, with TLS, two API instances, backup and monitoring. It has no storage of its own, so
 * the drill starts one beside it. At the end the pods of the chart use the same Postgres and storage. Needs the ports 80, 443, 8081 and 9090 of this machine.
 */
import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, poll } from '@reelkeep/testkit'
import type { DrillReport } from '../support/drill-report.ts'
import { runChartPods } from './chart-pods.ts'
import { ComposeProject } from './compose-project.ts'
import type { Engine } from './engine.ts'
import { measureErrors } from './request-errors.ts'

const NAME = 'reelkeep-production'
const STORAGE = `${NAME}-storage`
const INSIDE_NETWORK = '172.31.240'
const HOSTS = { api: 'localhost', playback: 'watch.localhost' }
const PROMETHEUS = 'http://127.0.0.1:9090/api/v1'
/** User of Postgres in its image. */
const POSTGRES_ID = 999
const TARGETS = 5
const MONITORING_SECONDS_MAX = 90
const WAL_SECONDS_MAX = 60

type Input = {
  readonly engine: Engine
  readonly report: DrillReport
  /** A copy of the repository. */
  readonly source: string
  /** A folder for certificates and backups. */
  readonly folder: string
  readonly images: { readonly old: string; readonly new: string; readonly storage: string }
  readonly cli: readonly string[]
  readonly clip: string
}

const storageKeys = {
  STORAGE_ACCESS_KEY_ID: 'drill',
  STORAGE_SECRET_ACCESS_KEY: 'drill-secret',
  STORAGE_UPLOAD_ACCESS_KEY_ID: 'drill-uploads',
  STORAGE_UPLOAD_SECRET_ACCESS_KEY: 'drill-uploads-secret',
}
const uploadKeyFiles = {
  STORAGE_UPLOAD_ACCESS_KEY_ID_FILE: '/run/secrets/storage_upload_access_key_id',
  STORAGE_UPLOAD_SECRET_ACCESS_KEY_FILE: '/run/secrets/storage_upload_secret_access_key',
}

export async function runProduction({ engine, report, source, folder, images, cli, clip }: Input): Promise<void> {
  await engine.run('stack/base-images', ['nginx:stable', 'prom/prometheus:latest', 'prom/node-exporter:latest'])
  const certificates = createCertificate(join(folder, 'certificates'))
  const backups = join(folder, 'backups')
  mkdirSync(backups)
  chownSync(backups, POSTGRES_ID, POSTGRES_ID)
  await engine.run(join(source, 'deploy/compose/make-secrets'), [], storageKeys)

  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(async () => void (await engine.podman('network', 'rm', '--force', `${NAME}_inside`)))
  const storagePort = await freePort()
  const storage = {
    STORAGE_ENDPOINT: `http://${STORAGE}:9000`,
    STORAGE_PUBLIC_ENDPOINT: `http://127.0.0.1:${storagePort}`,
  }
  const project = cleanup.use(
    new ComposeProject(engine, {
      name: NAME,
      files: [join(source, 'deploy/compose/compose.yaml'), await createInsideNetwork(engine, folder)],
      settings: {
        REELKEEP_IMAGE: images.old,
        POSTGRES_IMAGE: 'postgres:15-bookworm',
        NGINX_IMAGE: 'nginx:stable',
        PROMETHEUS_IMAGE: 'prom/prometheus:latest',
        NODE_EXPORTER_IMAGE: 'prom/node-exporter:latest',
        API_HOST: HOSTS.api,
        PLAYBACK_HOST: HOSTS.playback,
        EDGE_ADDRESS: '127.0.0.1',
        CERTIFICATES: certificates,
        ...storage,
        ...uploadKeyFiles,
        BACKUP_DIRECTORY: backups,
        BACKUP_METRICS_DIRECTORY: backups,
        POSTGRES_SHARED_BUFFERS: '128MB',
      },
    }),
  )
  // Creates the network that storage joins; the service itself waits for storage.
  await project.compose('up', '-d', 'setup-storage')
  const port = `--publish=127.0.0.1:${storagePort}:9000`
  const key = Object.entries(storageKeys).map(([name, value]) => `--env=${name}=${value}`)
  cleanup.defer(async () => void (await engine.podman('rm', '--force', '--volumes', '--time=5', STORAGE)))
  await engine.podman('run', '-d', `--name=${STORAGE}`, `--network=${NAME}_outside`, port, ...key, images.storage)

  await project.compose('up', '-d')
  await project.installCli(cli)
  const account = {
    ...(await project.createOrganization()),
    NODE_EXTRA_CA_CERTS: join(certificates, 'fullchain.pem'),
  }
  const link = await project.upload(clip, account)
  await project.play(link)
  report.check('production: a new video plays through the edge', 'yes', { isPassed: true })

  project.set('REELKEEP_IMAGE', images.new)
  await upgrade(project, report, account)
  await project.play(link)
  report.check('production: after the upgrade it plays', 'yes', { isPassed: true })

  await backUp(project, report, backups)
  await monitor(project, report)

  await project.compose('stop', 'edge', 'api', 'api-2', 'worker', 'worker-encode')
  await runChartPods({
    ...{ engine, report, project, folder, images, storage, account, clip },
    secrets: join(source, 'deploy/compose/secrets'),
    networks: [`${NAME}_inside`, `${NAME}_outside`],
  })
}

/**
 * Creates the internal network, and writes a Compose file that uses it. docker-compose 1.29 could create it, but would
 * then refuse every other command, because podman reports an option of the network that the file does not have.
 */
async function createInsideNetwork(engine: Engine, folder: string): Promise<string> {
  const name = `${NAME}_inside`
  const addresses = [`--subnet=${INSIDE_NETWORK}.0/24`, `--ip-range=${INSIDE_NETWORK}.128/25`]
  await engine.podman('network', 'create', '--internal', ...addresses, name)
  const file = join(folder, 'network.yaml')
  writeFileSync(file, JSON.stringify({ networks: { inside: { external: true, name } } }))
  return file
}

/** A certificate for both host names, which is its own authority. */
function createCertificate(folder: string): string {
  mkdirSync(folder)
  const names = Object.values(HOSTS).map((host) => `DNS:${host}`)
  const files = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')]
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  const subject = ['-subj', `/CN=${HOSTS.api}`, '-addext', `subjectAltName=${names.join()}`]
  execFileSync('openssl', ['req', ...kind, ...files, ...subject], { stdio: ['ignore', 'ignore', 'pipe'] })
  return folder
}

/** Replaces all instances under load. */
async function upgrade(project: ComposeProject, report: DrillReport, account: Record<string, string>): Promise<void> {
  const oldLogs = Promise.all(['api', 'api-2'].map((service) => project.followLogs(service)))
  const { requests, errors } = await measureErrors(account, () => replaceInstances(project))
  report.note('production: requests during an upgrade', requests)
  const isFailed = errors.length > 0
  report.checkNone(
    'production: requests failed during the upgrade',
    isFailed ? [...errors, ...warningsIn(await oldLogs), ...warningsIn([await currentLogs(project)])] : [],
  )
}

/** The commands of docs/operations/upgrading.md. */
async function replaceInstances(project: ComposeProject): Promise<void> {
  await project.compose('run', '--rm', '-T', 'migrate')
  await project.compose('run', '--rm', '-T', 'setup-storage')
  for (const api of ['api', 'api-2']) {
    await project.compose('up', '-d', '--no-deps', api)
    await project.waitUntilReady(api)
  }
  await project.compose('up', '-d', '--no-deps', 'worker', 'worker-encode')
}

const currentLogs = (project: ComposeProject) => project.compose('logs', '--no-color', 'api', 'api-2')

/** Log lines of the API that explain an error. */
const warningsIn = (logs: readonly string[]) =>
  logs.flatMap((log) => log.split('\n')).filter((line) => /"level":"(warn|error)"/.test(line))

async function backUp(project: ComposeProject, report: DrillReport, folder: string): Promise<void> {
  await project.compose('--profile', 'backup', 'up', '-d', 'receive-wal')
  await poll('WAL to be received', WAL_SECONDS_MAX, () => isHealthy(project))
  await project.compose('--profile', 'base-backup', 'run', '--rm', '-T', 'base-backup')
  const files = execFileSync('find', [folder, '-type', 'f'], { encoding: 'utf8' })
  const isComplete = existsSync(join(folder, 'current/wal')) && files.includes('backup_manifest')
  report.check('production: the backup profile receives WAL and makes a base backup', isComplete ? 'yes' : 'no', {
    isPassed: isComplete,
    details: [files],
  })
}

const isHealthy = (project: ComposeProject) =>
  project.succeeds('--profile', 'backup', 'exec', '-T', 'receive-wal', '/reelkeep/receive-wal', '--healthy')

async function monitor(project: ComposeProject, report: DrillReport): Promise<void> {
  await project.compose('--profile', 'monitoring', 'up', '-d', 'prometheus', 'node-exporter')
  let up = 0
  const areAllUp = async () => {
    up = await targetsUp()
    return up >= TARGETS
  }
  // After a timeout the check below fails, with the number of targets.
  await poll('the targets of Prometheus', MONITORING_SECONDS_MAX, areAllUp).catch(() => {})
  report.check('production: targets that Prometheus reads', `${up} of ${TARGETS}`, { isPassed: up === TARGETS })
  const { groups } = (await query('rules')) as { groups: { rules: { health: string }[] }[] }
  const rules = groups.flatMap((group) => group.rules)
  const failing = rules.filter(({ health }) => health === 'err')
  report.check('production: rules without error', `${rules.length - failing.length} of ${rules.length}`, {
    isPassed: failing.length === 0,
  })
}

const targetsUp = async () => {
  const found = (await query('targets').catch(() => undefined)) as { activeTargets: { health: string }[] } | undefined
  return found?.activeTargets.filter(({ health }) => health === 'up').length ?? 0
}

async function query(what: string): Promise<unknown> {
  const response = await fetch(`${PROMETHEUS}/${what}`)
  return ((await response.json()) as { data: unknown }).data
}
