/** Rules of both Compose files: the one at the root for one machine, and the one for production. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, stackEnvironment } from '@reelkeep/testkit/settings'
import { afterAll, describe, expect, it } from 'vitest'
import { commandOf, environmentOf, readCompose, readRootCompose, secretsRead } from './compose-file.ts'
import { faultsIn } from './compose-schema.ts'
import { isCommand, startWith, strangersIn } from './settings.ts'

const files = [
  { path: 'compose.yaml', compose: readRootCompose() },
  { path: 'deploy/compose/compose.yaml', compose: readCompose() },
]

describe.each(files)('$path', ({ compose }) => {
  const services = Object.entries(compose.services)
  const mounts = services.flatMap(([, { volumes = [] }]) => volumes)
  /** Services that run a command of our image. */
  const ours = services.flatMap(([name, service]) => {
    const command = commandOf(service)
    return isCommand(command) ? [{ name, command, service, environment: environmentOf(service) }] : []
  })

  it('matches the Compose Specification', () => {
    expect(faultsIn(compose)).toEqual([])
    const [[name, service] = []] = services
    expect(faultsIn({ services: { [`${name}`]: { ...service, ports: 80, imag: 'x' } } })).not.toEqual([])
  })

  it('refers only to existing volumes, networks, secrets and services', () => {
    for (const [name, { volumes = [], networks = [], secrets = [], depends_on = {} }] of services) {
      const sources = volumes.map((volume) => volume.split(':')[0] ?? '')
      const named = sources.filter((volume) => /^\w/.test(volume))
      expect(Object.keys(compose.volumes), name).toEqual(expect.arrayContaining(named))
      const joined = Array.isArray(networks) ? networks : Object.keys(networks)
      expect(Object.keys(compose.networks), name).toEqual(expect.arrayContaining(joined))
      expect(Object.keys(compose.secrets), name).toEqual(expect.arrayContaining([...secrets]))
      expect(Object.keys(compose.services), name).toEqual(expect.arrayContaining(Object.keys(depends_on)))
    }
  })

  it('names every volume, because anonymous volumes would be left behind', () => {
    expect(mounts.length).toBeGreaterThan(5)
    expect(mounts.filter((volume) => !volume.includes(':'))).toEqual([])
  })

  it('waits for the health only of services with a health check, and for the end only of services that do not restart', () => {
    const waits = services.flatMap(([, { depends_on = {} }]) => Object.entries(depends_on))
    expect(waits.length).toBeGreaterThan(5)
    for (const [name, { condition }] of waits) {
      const awaited = compose.services[name]
      if (condition === 'service_healthy') expect(awaited?.healthcheck?.test, name).toBeDefined()
      else expect([condition, awaited?.restart ?? 'no']).toEqual(['service_completed_successfully', 'no'])
    }
  })

  it('has a health check for every service that always restarts', () => {
    const running = services.filter(([, { restart }]) => restart === 'unless-stopped')
    expect(running.map(([name]) => name)).toContain('api')
    for (const [name, { healthcheck }] of running) expect(healthcheck?.test[0], name).toBe('CMD')
  })

  it.each(ours)('gives $name only settings that it reads, and secrets only as files', (it) => {
    expect(strangersIn(it.command, it.environment)).toEqual([])
  })

  it.each(ours)('gives $name all settings that it needs to start', ({ command, environment }) => {
    expect(() => startWith(command, environment)).not.toThrow()
  })

  it.each(ours)('runs $name unprivileged with a read-only root', ({ service }) => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
    expect(service.security_opt).toContain('no-new-privileges:true')
  })
})

it('the edge has only the capabilities that nginx needs to listen and to become another user', () => {
  expect(readCompose().services['edge']).toMatchObject({
    cap_drop: ['ALL'],
    cap_add: ['CHOWN', 'NET_BIND_SERVICE', 'SETGID', 'SETUID'],
  })
})

describe('the compose.yaml of the root', () => {
  const { services } = readRootCompose()

  it('listens on this machine only', () => {
    const published = Object.entries(services).flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port]))
    expect(published).toEqual([
      ['storage', '127.0.0.1:9000:9000'],
      ['api', '127.0.0.1:8080:8080'],
    ])
  })

  it('builds its own images under names that no registry serves, unless a registry is set', () => {
    const imagesOf = (file: ReturnType<typeof readRootCompose>) =>
      new Set(Object.values(file.services).map(({ image }) => image.replace(/:[^:]*$/, '')))
    expect(imagesOf(readRootCompose())).toEqual(
      new Set(['localhost/reelkeep/reelkeep', 'localhost/reelkeep/storage', 'postgres']),
    )
    const built = Object.values(services).filter(({ build }) => build)
    expect(built.map(({ image }) => image.split(':')[0]).sort()).toEqual([
      'localhost/reelkeep/reelkeep',
      'localhost/reelkeep/storage',
    ])
    expect(imagesOf(readRootCompose({ REELKEEP_IMAGES: 'registry.example/team' }))).toEqual(
      new Set(['registry.example/team/reelkeep', 'registry.example/team/storage', 'postgres']),
    )
  })
})

describe('the init command of the image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'init-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const { services } = readRootCompose()
  const inFolder = (path: string) => join(folder, path)
  const mounted = services['init']?.volumes?.map((volume) => volume.split(':/')[1] ?? '') ?? []

  /** Runs it in the layout of the image, with folders in place of volumes. */
  function init(env: Readonly<Record<string, string>> = {}) {
    cpSync(join(root, 'deploy/docker/init'), inFolder('bin/init'))
    cpSync(join(root, 'deploy/compose/make-secrets'), inFolder('bin/make-secrets'))
    cpSync(join(root, 'deploy/compose/postgres/create-database'), inFolder('server/create-database'))
    cpSync(join(root, 'server/roles.sql'), inFolder('server/roles.sql'))
    for (const path of mounted) mkdirSync(inFolder(path), { recursive: true })
    execFileSync(inFolder('bin/init'), [inFolder('volumes')], { cwd: folder, env: { ...stackEnvironment, ...env } })
  }
  init()
  const readers = Object.entries(services).filter(([, { volumes = [] }]) => volumes.join().includes(':/run/secrets'))

  it('is the only container with all secrets', () => {
    const withAll = Object.entries(services).filter(([, { volumes = [] }]) => volumes.join().includes('secrets:/'))
    expect(withAll.map(([name]) => name)).toEqual(['init'])
    expect(statSync(inFolder('volumes/secrets')).mode & 0o777).toBe(0o700)
  })

  it.each(readers)('gives %s exactly the secrets that it reads, in a volume of its own', (name, service) => {
    expect(service.volumes).toContain(`secrets-${name}:/run/secrets:ro`)
    expect(services['init']?.volumes).toContain(`secrets-${name}:/volumes/${name}`)
    const script = readFileSync(inFolder('server/create-database'), 'utf8')
    const ofScript = name === 'postgres' ? [...script.matchAll(/\/run\/secrets\/(\w+)/g)].map(([, it]) => `${it}`) : []
    const wanted = new Set([...secretsRead(service), ...ofScript])
    expect(readdirSync(inFolder(`volumes/${name}`)).sort()).toEqual([...wanted].sort())
    for (const secret of wanted) {
      const copy = inFolder(`volumes/${name}/${secret}`)
      expect(readFileSync(copy, 'utf8')).toBe(readFileSync(inFolder(`volumes/secrets/${secret}`), 'utf8'))
      expect(statSync(copy).mode & 0o777).toBe(0o644)
      expect(statSync(copy).size).toBeGreaterThan(10)
    }
  })

  it('keeps existing secrets', () => {
    const file = inFolder('volumes/api/database_url')
    const before = { text: readFileSync(file, 'utf8'), at: statSync(file).ctimeMs }
    init()
    expect({ text: readFileSync(file, 'utf8'), at: statSync(file).ctimeMs }).toEqual(before)
  })

  it('gives the service no upload key for another storage that has none', () => {
    rmSync(inFolder('volumes'), { recursive: true })
    init({ STORAGE_ENDPOINT: 'https://s3.example', STORAGE_ACCESS_KEY_ID: 'id', STORAGE_SECRET_ACCESS_KEY: 'secret' })
    const given = (name: string) => readFileSync(inFolder(`volumes/api/${name}`), 'utf8').trim()
    expect(given('storage_upload_access_key_id')).toBe('')
    expect(given('storage_upload_secret_access_key')).toBe('')
    expect(given('storage_access_key_id')).toBe('id')
  })
})
