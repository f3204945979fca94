import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '@reelkeep/testkit/settings'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { commandOf, composeText, environmentOf, exampleEnvironment, readCompose, secretsRead } from './compose-file.ts'
import { type Environment, isCommand, startWith } from './settings.ts'

const compose = readCompose()
const services = Object.entries(compose.services)

/** Services that run a command of our image. */
const ours = services.flatMap(([name, service]) => {
  const command = commandOf(service)
  return isCommand(command) ? [{ name, command, service, environment: environmentOf(service) }] : []
})

/** The Compose file with all optional settings. */
const notified = readCompose({
  ...exampleEnvironment,
  STORAGE_EVENTS_URL: 'http://10.0.0.5:8081',
  STORAGE_EVENTS_SECRET_FILE: '/run/secrets/storage_events_secret',
  OPERATIONS_TOKEN_FILE: '/run/secrets/operations_token',
  PRIVATE_CA: '/etc/ca.pem',
})

const worker = ours.filter(({ command }) => command === 'worker')

describe('compose.yaml with example.env', () => {
  it('runs every command that a deployment needs', () => {
    expect(new Set(ours.map(({ command }) => command))).toEqual(
      new Set(['api', 'worker', 'migrate', 'setup-storage', 'admin']),
    )
  })

  it.each(ours)('mounts only the secrets that $name reads', ({ name }) => {
    const service = notified.services[name]
    if (!service) throw new Error(`There is no service ${name}.`)
    expect(secretsRead(service).sort()).toEqual([...(service.secrets ?? [])].sort())
  })

  it('makes the API expect notifications only if storage has their URL', () => {
    const expects = (file: typeof compose) => file.services['api']?.environment?.['STORAGE_EVENTS_SECRET_FILE'] !== ''
    expect([expects(compose), expects(notified)]).toEqual([false, true])
  })

  it('assigns every queue to a worker', () => {
    const queues = worker.flatMap(({ environment }) => environment['WORKER_QUEUES']?.split(',') ?? [])
    expect(queues.sort()).toEqual(['encode', 'extras', 'light', 'probe'])
  })

  it.each(ours)("makes $name trust the operator's CA, if there is one", (it) => {
    const { NODE_EXTRA_CA_CERTS: file, SSL_CERT_FILE } = it.environment
    expect(notified.services[it.name]?.volumes).toContain(`/etc/ca.pem:${file}:ro`)
    expect(it.service.volumes).toContain(`/dev/null:${file}:ro`)
    expect(SSL_CERT_FILE).toBe(file)
  })

  it.each(worker)('lets $name finish before it is killed', ({ service, environment }) => {
    const graceSeconds = Number.parseInt(service.stop_grace_period ?? '10s', 10)
    expect(graceSeconds).toBeGreaterThan(Number(environment['WORKER_DRAIN_SECONDS']) + 30)
  })

  it('publishes only the edge', () => {
    const published = services.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port]))
    expect(published.filter(([, port]) => !port?.startsWith('127.0.0.1:'))).toEqual([
      ['edge', '0.0.0.0:443:443'],
      ['edge', '0.0.0.0:80:80'],
    ])
  })

  it('keeps Postgres on an internal network', () => {
    expect(compose.services['postgres']?.networks).toEqual(['inside'])
    expect(compose.networks['inside']).toMatchObject({ internal: true })
  })

  it('restarts receive-wal, and limits the WAL kept for it so that the disk of Postgres does not fill up', () => {
    expect(compose.services['receive-wal']).toMatchObject({ restart: 'unless-stopped' })
    const commandWith = (environment: Environment) => readCompose(environment).services['postgres']?.command
    expect(commandWith(exampleEnvironment)).toContain('max_slot_wal_keep_size=50GB')
    const smaller = { ...exampleEnvironment, POSTGRES_SLOT_WAL_MAX: '5GB' }
    expect(commandWith(smaller)).toContain('max_slot_wal_keep_size=5GB')
  })

  it('allows Postgres enough connections for additional workers', () => {
    const commandWith = (environment: Environment) => readCompose(environment).services['postgres']?.command
    expect(commandWith(exampleEnvironment)).toContain('max_connections=200')
    const more = { ...exampleEnvironment, POSTGRES_MAX_CONNECTIONS: '400' }
    expect(commandWith(more)).toContain('max_connections=400')
  })

  it('gives the edge the fixed IP addresses of the two API instances', () => {
    const { api, 'api-2': second, edge } = compose.services
    const addresses = String(edge?.environment?.['API_ADDRESSES']).split(' ')
    expect(addresses).toEqual(['172.31.240.10:8080', '172.31.240.11:8080'])
    for (const [index, instance] of [api, second].entries()) {
      const address = addresses[index]?.split(':')[0]
      expect(instance?.networks).toMatchObject({ inside: { ipv4_address: address } })
    }
  })

  it('pins every foreign image with a placeholder digest that no registry has', () => {
    const others = services.filter(([, service]) => !isCommand(commandOf(service)))
    for (const [, { image }] of others) expect(image).toMatch(/^[a-z]+(?:\/[a-z-]+)?(?::[\w.-]+)?@sha256:0{64}$/)
  })

  it('makes its Prometheus scrape the API and every kind of worker, under the job names of the alerts', () => {
    const config = parse(readFileSync(join(root, 'deploy/monitoring/prometheus/compose.yml'), 'utf8'))
    const scraped = config.scrape_configs.map((one: { job_name: string; dns_sd_configs: { names: string[] }[] }) => [
      one.job_name,
      ...one.dns_sd_configs.flatMap(({ names }) => names),
    ])
    expect(scraped).toEqual([
      ['reelkeep-api', 'api', 'api-2'],
      ['reelkeep-worker', ...worker.map(({ name }) => name)],
      ['backups', 'node-exporter'],
    ])
  })

  it('makes its Prometheus read the metrics of backups on this machine, if configured', () => {
    const environment = { ...exampleEnvironment, BACKUP_METRICS_DIRECTORY: '/srv/metrics' }
    const { prometheus, 'node-exporter': exporter } = readCompose(environment).services
    expect(exporter?.volumes).toEqual(['/srv/metrics:/backup-metrics:ro'])
    expect(exporter?.command).toContain('--collector.textfile.directory=/backup-metrics')
    expect(exporter?.profiles).toEqual(prometheus?.profiles)
    expect(prometheus?.networks).toEqual(expect.arrayContaining(['inside']))
    expect(exporter?.networks).toEqual(['inside'])
  })

  it('mounts only existing files', () => {
    const paths = services
      .flatMap(([, { volumes = [] }]) => volumes)
      .filter((volume) => volume.startsWith('.'))
      .map((volume) => volume.split(':')[0] ?? '')
    expect(paths.length).toBeGreaterThan(3)
    for (const path of paths) expect(statSync(join(root, 'deploy/compose', path)).isFile()).toBe(true)
  })

  it('fails to render without a required setting', () => {
    for (const name of ['STORAGE_ENDPOINT', 'API_HOST', 'REELKEEP_IMAGE']) {
      expect(() => readCompose({ ...exampleEnvironment, [name]: '' })).toThrow(`${name} is not set`)
    }
  })

  it('uses every line of example.env', () => {
    const unused = Object.keys(exampleEnvironment).filter((name) => !composeText.includes(`\${${name}`))
    // Compose itself reads the name of the project.
    expect(unused).toEqual(['COMPOSE_PROJECT_NAME'])
  })
})

describe('make-secrets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'make-secrets-'))
  const make = () => execFileSync(join(folder, 'make-secrets'), { encoding: 'utf8' })
  const modeOfFolder = () => statSync(join(folder, 'secrets')).mode & 0o777
  const readSecret = (name: string) => readFileSync(join(folder, 'secrets', name), 'utf8').trim()
  cpSync(join(root, 'deploy/compose/make-secrets'), join(folder, 'make-secrets'))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('creates every file that Compose mounts, in a folder that only its owner can enter', () => {
    const output = make()
    expect(output).toContain('write the access key of storage to secrets/storage_access_key_id')
    expect(output).toContain('write the upload key of storage to secrets/storage_upload_access_key_id')
    expect(output).toContain('write the access key of the backup storage to secrets/backup_storage_access')
    expect(readdirSync(join(folder, 'secrets')).sort()).toEqual(Object.keys(compose.secrets).sort())
    expect(modeOfFolder()).toBe(0o700)
  })

  it('asks for no keys if it is given a folder, as by the compose.yaml for trying', () => {
    const output = execFileSync(join(folder, 'make-secrets'), [join(folder, 'trial')], { encoding: 'utf8' })
    expect(output).toContain('created database_url')
    expect(output).not.toContain('write the access key')
  })

  it('creates values that the service accepts', () => {
    const environment = {
      STORAGE_ENDPOINT: 'https://s3.example',
      STORAGE_ACCESS_KEY_ID: 'x',
      STORAGE_SECRET_ACCESS_KEY: 'x',
      DATABASE_URL: readSecret('database_url'),
      KEY_ENCRYPTION_KEYS: readSecret('key_encryption_keys'),
      PLAYBACK_SECRET: readSecret('playback_secret'),
      STORAGE_EVENTS_SECRET: readSecret('storage_events_secret'),
    }
    expect(() => startWith('api', environment)).not.toThrow()
    expect(readSecret('database_url')).toContain(`:${readSecret('api_password')}@`)
  })

  it('keeps existing files', () => {
    const before = readSecret('key_encryption_keys')
    expect(make()).not.toContain('made')
    expect(readSecret('key_encryption_keys')).toBe(before)
  })

  it('restricts an existing folder', () => {
    chmodSync(join(folder, 'secrets'), 0o755)
    make()
    expect(modeOfFolder()).toBe(0o700)
  })
})
