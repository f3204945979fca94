import { hostname } from 'node:os'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  ConfigError,
  readAdminConfig,
  readApiConfig,
  readStorageSetupConfig,
  readWorkerConfig,
} from './env.ts'

const DATABASE_URL = 'postgres://reelkeep_api:hunter2@db.example:5432/reelkeep'

const storage = {
  STORAGE_ENDPOINT: 'http://storage.example',
  STORAGE_ACCESS_KEY_ID: 'key',
  STORAGE_SECRET_ACCESS_KEY: 'hunter2',
}
const KEY_ENCRYPTION_KEYS = `first:${Buffer.alloc(32, 'hunter2').toString('base64')}`
/** All that has to be set. */
const PLAYBACK_SECRET = 'hunter2'.repeat(5)
const needed = { ...storage, KEY_ENCRYPTION_KEYS, DATABASE_URL, PLAYBACK_SECRET }
/** The same for a worker, but for its database. */
const shared = { ...storage, KEY_ENCRYPTION_KEYS }

function messageOf(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return ''
}

const namesIn = (message: string) =>
  [...message.matchAll(/^ {2}(\w+): /gm)].map(([, name]) => name).sort()

describe('readApiConfig', () => {
  it('needs no more than the database, storage and its secrets', () => {
    expect(readApiConfig(needed)).toMatchObject({
      DATABASE_URL,
      DATABASE_CONNECTIONS_MAX: 16,
      DATABASE_STATEMENT_TIMEOUT_SECONDS: 10,
      HOST: '127.0.0.1',
      PORT: 8080,
      OPERATIONS_PORT: 8081,
      PUBLIC_URL: 'http://127.0.0.1:8080',
      PLAYBACK_URL: 'http://127.0.0.1:8080/play',
      LOG_LEVEL: 'info',
      RATE_LIMIT_PER_MINUTE: 6000,
      TRUSTED_PROXY_HOPS: 0,
      DRAIN_SECONDS: 5,
    })
  })

  it('reads numbers, and an address without the slash at its end', () => {
    const env = {
      ...needed,
      PORT: '80',
      PUBLIC_URL: 'https://video.example/',
      DRAIN_SECONDS: '0',
    }
    expect(readApiConfig(env)).toMatchObject({
      PORT: 80,
      PUBLIC_URL: 'https://video.example',
      PLAYBACK_URL: 'https://video.example/play',
      DRAIN_SECONDS: 0,
    })
    const PLAYBACK_URL = 'https://watch.example/v/'
    expect(readApiConfig({ ...env, PLAYBACK_URL }).PLAYBACK_URL).toBe('https://watch.example/v')
  })

  it('takes an empty variable for one that is not set', () => {
    const env = { ...needed, PORT: '', LOG_LEVEL: '', PUBLIC_URL: '' }
    expect(readApiConfig(env)).toEqual(readApiConfig(needed))
    expect(messageOf(() => readApiConfig({ ...needed, DATABASE_URL: '' }))).toContain(
      'DATABASE_URL: is required but not set',
    )
  })

  it.each([
    ['ligth', false],
    ['light;probe', false],
    [',', false],
    ['light, probe light', true],
  ])('takes for the queues of a worker only those that there are: %s', (text, isTaken) => {
    const read = () =>
      readWorkerConfig({ ...shared, DATABASE_WORKER_URL: DATABASE_URL, WORKER_QUEUES: text })
        .WORKER_QUEUES
    if (isTaken) expect(read()).toEqual(['light', 'probe'])
    else
      expect(messageOf(read)).toContain(
        'WORKER_QUEUES: must be some of light, probe, encode, extras',
      )
  })

  it('needs an address for a recogniser that is a server, and tells no key', () => {
    const worker = { ...shared, DATABASE_WORKER_URL: DATABASE_URL }
    expect(readWorkerConfig(worker)).toMatchObject({ RECOGNISER: 'moonshine' })
    const server = { ...worker, RECOGNISER: 'openai', RECOGNISER_KEY: 'hunter2' }
    const message = messageOf(() => readWorkerConfig(server))
    expect(namesIn(message)).toEqual(['RECOGNISER_URL'])
    expect(message).not.toContain('hunter2')
    const RECOGNISER_URL = 'http://whisper.internal:8000/'
    expect(readWorkerConfig({ ...server, RECOGNISER_URL })).toMatchObject({
      ...{ RECOGNISER_URL: 'http://whisper.internal:8000', RECOGNISER_MODEL: 'whisper-1' },
    })
    expect(messageOf(() => readWorkerConfig({ ...worker, RECOGNISER: 'siri' }))).toContain(
      'RECOGNISER: ',
    )
  })

  it('does not mind what else is set', () => {
    expect(readApiConfig({ ...needed, HOME: '/root', PATH: '/bin' })).not.toHaveProperty('HOME')
  })

  it('tells every fault at once', () => {
    const env = {
      DATABASE_URL: 'mysql://u:hunter2@db',
      DATABASE_CONNECTIONS_MAX: '0',
      DATABASE_STATEMENT_TIMEOUT_SECONDS: 'ten',
      PORT: '65536',
      OPERATIONS_PORT: '-1',
      PUBLIC_URL: 'ftp://video.example',
      PLAYBACK_URL: 'video.example',
      PLAYBACK_SECRET: 'x'.repeat(31),
      PLAYBACK_SECRET_PREVIOUS: 'x'.repeat(257),
      LOG_LEVEL: 'loud',
      RATE_LIMIT_PER_MINUTE: '1.5',
      TRUSTED_PROXY_HOPS: '11',
      DRAIN_SECONDS: '301',
      STORAGE_ENDPOINT: 's3.example',
      STORAGE_UPLOADS_BUCKET: 'Uploads',
      STORAGE_EVENTS_SECRET: 'short',
      UPLOAD_FORM_BYTES_MAX: '5368709121',
      UPLOAD_LIFETIME_SECONDS: '0',
    }
    const names = namesIn(messageOf(() => readApiConfig({ ...shared, ...env })))
    expect(names).toEqual(Object.keys(env).sort())
  })

  it('shows no value, least of all a password', () => {
    const secrets = {
      DATABASE_URL: 'mysql://u:hunter2@db',
      PUBLIC_URL: 'https//user:hunter2@video.example',
      LOG_LEVEL: 'hunter2',
      PORT: 'hunter2',
      PLAYBACK_SECRET: 'hunter2',
      DRAIN_SECONDS: 'hunter2',
    }
    const message = messageOf(() => readApiConfig({ ...shared, ...secrets }))
    expect(namesIn(message)).toEqual(Object.keys(secrets).sort())
    expect(message).not.toContain('hunter2')
  })

  it.each([
    ['no port that is a number', 'postgres://reelkeep_api:hunter2@db.example:port/reelkeep'],
    ['no host that is one', 'postgres://reelkeep_api:hunter2@[/reelkeep'],
  ])('refuses at once a database address that has %s', (_, address) => {
    const message = messageOf(() => readApiConfig({ ...needed, DATABASE_URL: address }))
    expect(namesIn(message)).toEqual(['DATABASE_URL'])
    expect(message).not.toContain('hunter2')
  })
})

describe('readWorkerConfig', () => {
  const DATABASE_WORKER_URL = 'postgres://reelkeep_worker:hunter2@db.example:5432/reelkeep'

  it('needs no more than the database, storage and a key, and takes its name from host and port', () => {
    expect(readWorkerConfig({ ...shared, DATABASE_WORKER_URL })).toMatchObject({
      DATABASE_WORKER_URL,
      DATABASE_CONNECTIONS_MAX: 16,
      DATABASE_STATEMENT_TIMEOUT_SECONDS: 10,
      HOST: '127.0.0.1',
      LOG_LEVEL: 'info',
      WORKER_OPERATIONS_PORT: 8082,
      WORKER_ID: `${hostname()}-8082`,
      WORKER_DRAIN_SECONDS: 30,
    })
    const named = readWorkerConfig({ ...shared, DATABASE_WORKER_URL, WORKER_ID: 'slot-7' })
    expect(named.WORKER_ID).toBe('slot-7')
  })

  it('does not take the address of the API', () => {
    expect(namesIn(messageOf(() => readWorkerConfig(needed)))).toEqual(['DATABASE_WORKER_URL'])
  })
})

describe('API_ORIGINS', () => {
  it('allows none unless it is set, and takes commas and spaces', () => {
    expect(readApiConfig(needed).API_ORIGINS).toEqual([])
    const API_ORIGINS = 'https://a.example, http://127.0.0.1:8090'
    expect(readApiConfig({ ...needed, API_ORIGINS }).API_ORIGINS).toEqual([
      'https://a.example',
      'http://127.0.0.1:8090',
    ])
  })

  it.each(['*', 'a.example', 'https://a.example/', 'https://a.example/x', 'https://A.example'])(
    'refuses %s, which no browser sends as an origin',
    (API_ORIGINS) => {
      const message = messageOf(() => readApiConfig({ ...needed, API_ORIGINS }))
      expect(namesIn(message)).toEqual(['API_ORIGINS'])
    },
  )
})

describe('WEBHOOK_ALLOWED_NETWORKS', () => {
  const read = (WEBHOOK_ALLOWED_NETWORKS: string) =>
    readApiConfig({ ...needed, WEBHOOK_ALLOWED_NETWORKS }).WEBHOOK_ALLOWED_NETWORKS

  it('allows none unless it is set, and takes commas and spaces', () => {
    expect(read('').check('10.1.0.1')).toBe(false)
    const networks = read('10.1.0.0/16, fd00:1::/32')
    expect(networks.check('10.1.0.1')).toBe(true)
    expect(networks.check('10.2.0.1')).toBe(false)
    expect(networks.check('fd00:1::1', 'ipv6')).toBe(true)
  })

  it.each(['10.1.0.1', '10.1.0.0/33', 'internal.example', '10.1.0.0/16,*'])(
    'refuses %s',
    (text) => {
      expect(namesIn(messageOf(() => read(text)))).toEqual(['WEBHOOK_ALLOWED_NETWORKS'])
    },
  )
})

describe('the settings of traces', () => {
  it('say that nothing is traced unless a collector is named', () => {
    expect(readApiConfig(needed).OTEL_EXPORTER_OTLP_ENDPOINT).toBeUndefined()
  })

  it('hold headers as addresses write them, and a share', () => {
    const env = {
      ...needed,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a=b,x-tenant=7',
      OTEL_TRACES_SAMPLER_ARG: '0.05',
    }
    expect(readApiConfig(env)).toMatchObject({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example',
      OTEL_EXPORTER_OTLP_HEADERS: { authorization: 'Bearer a=b', 'x-tenant': '7' },
      OTEL_TRACES_SAMPLER_ARG: 0.05,
    })
  })

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'hunter2'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=hunter2%zz'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
  ])('%s cannot be %s, and the message does not repeat it', (name, value) => {
    const message = messageOf(() => readApiConfig({ ...needed, [name]: value }))
    expect(namesIn(message)).toEqual([name])
    expect(message).not.toContain('hunter2')
  })
})

describe('KEY_ENCRYPTION_KEYS', () => {
  const other = `2026-07:${Buffer.alloc(32, 1).toString('base64')}`
  const read = (text: string) => readApiConfig({ ...needed, KEY_ENCRYPTION_KEYS: text })

  it('holds several, in their order, and shows nothing of them', () => {
    const { KEY_ENCRYPTION_KEYS: ring } = read(`${other},${KEY_ENCRYPTION_KEYS}`)
    expect(ring.map(({ id }) => id)).toEqual(['2026-07', 'first'])
    expect(ring[1]?.key.export()).toEqual(Buffer.alloc(32, 'hunter2'))
    const shown = JSON.stringify(ring) + inspect(ring, { depth: null, showHidden: true })
    expect(shown).not.toMatch(/hunter2|aHVudGVy/)
  })

  it.each([
    ['no id', KEY_ENCRYPTION_KEYS.slice('first:'.length)],
    ['an id of other letters', KEY_ENCRYPTION_KEYS.replace('first', 'First!')],
    ['a key that is too short', `first:${Buffer.alloc(31, 'hunter2').toString('base64')}`],
    ['a key that is too long', `first:${Buffer.alloc(33, 'hunter2').toString('base64')}`],
    ['a password for a key', 'first:hunter2'],
    ['a second one that is none', `${KEY_ENCRYPTION_KEYS},hunter2`],
    ['the same id twice', `${KEY_ENCRYPTION_KEYS},${KEY_ENCRYPTION_KEYS}`],
    ['nothing but a comma', ','],
  ])('is refused with %s, and not shown', (_, text) => {
    const message = messageOf(() => read(text))
    expect(namesIn(message)).toEqual(['KEY_ENCRYPTION_KEYS'])
    expect(message).not.toMatch(/hunter2|aHVudGVy/)
  })

  it('must be there, for the API and for workers', () => {
    const { KEY_ENCRYPTION_KEYS: _, ...without } = needed
    const told = 'KEY_ENCRYPTION_KEYS: is required but not set'
    expect(messageOf(() => readApiConfig(without))).toContain(told)
    expect(messageOf(() => readWorkerConfig(without))).toContain(told)
  })
})

describe('readAdminConfig', () => {
  it('needs the address of the database as its owner, and nothing else', () => {
    const DATABASE_OWNER_URL = 'postgresql://reelkeep_owner:hunter2@db/reelkeep'
    const config = { DATABASE_OWNER_URL, PUBLIC_URL: 'http://127.0.0.1:8080' }
    expect(readAdminConfig({ DATABASE_OWNER_URL })).toEqual(config)
    expect(namesIn(messageOf(() => readAdminConfig({ DATABASE_URL })))).toEqual([
      'DATABASE_OWNER_URL',
    ])
  })
})

describe('DRM', () => {
  const DATABASE_WORKER_URL = 'postgres://reelkeep_worker:hunter2@db.example:5432/reelkeep'
  const read = (more: Record<string, string>) =>
    readWorkerConfig({ ...shared, DATABASE_WORKER_URL, ...more })

  it('is ClearKey unless somebody says otherwise', () => {
    expect(read({})).toMatchObject({ DRM_PROVIDER: 'clearkey', DRM_SCHEME: 'cbcs' })
    expect(readApiConfig(needed)).toMatchObject({ DRM_PROVIDER: 'clearkey', DRM_LICENCE_URLS: {} })
  })

  it('needs the address of a provider', () => {
    expect(namesIn(messageOf(() => read({ DRM_PROVIDER: 'speke' })))).toEqual(['SPEKE_URL'])
    const SPEKE_URL = 'https://keys.example/speke/v2.0'
    expect(read({ DRM_PROVIDER: 'speke', SPEKE_URL, SPEKE_SYSTEMS: 'widevine' })).toMatchObject({
      ...{ SPEKE_URL, SPEKE_SYSTEMS: ['widevine'], SPEKE_TIMEOUT_SECONDS: 20 },
    })
  })

  it('knows licence servers by their systems', () => {
    const DRM_LICENCE_URLS =
      'com.widevine.alpha=https://wv.example/?a=b, com.apple.fps=https://fps.example'
    expect(readApiConfig({ ...needed, DRM_LICENCE_URLS }).DRM_LICENCE_URLS).toEqual({
      'com.widevine.alpha': 'https://wv.example/?a=b',
      'com.apple.fps': 'https://fps.example',
    })
  })

  it.each([
    ['DRM_LICENCE_URLS', 'widevine=https://wv.example'],
    ['DRM_LICENCE_URLS', 'com.widevine.alpha=javascript:alert(1)'],
    ['DRM_LICENCE_URLS', 'https://wv.example'],
    ['SPEKE_HEADER', 'hunter2'],
    ['SPEKE_HEADER', 'x-api-key: hunter2\r\nHost: elsewhere'],
    ['SPEKE_SYSTEMS', 'wiseplay'],
  ])('refuses %s=%j, and does not repeat it', (name, value) => {
    const message = messageOf(() => read({ [name]: value }))
    expect(namesIn(message)).toEqual([name])
    expect(message).not.toContain('hunter2')
  })
})

describe('a storage without versions', () => {
  it('is taken only without forms, which could replace a file', () => {
    const without = { STORAGE_VERSIONS: 'off' }
    expect(namesIn(messageOf(() => readApiConfig({ ...needed, ...without })))).toEqual([
      'STORAGE_VERSIONS',
    ])
    expect(
      namesIn(
        messageOf(() =>
          readWorkerConfig({ ...shared, DATABASE_WORKER_URL: DATABASE_URL, ...without }),
        ),
      ),
    ).toEqual(['STORAGE_VERSIONS'])
    expect(namesIn(messageOf(() => readStorageSetupConfig({ ...storage, ...without })))).toEqual([
      'STORAGE_VERSIONS',
    ])
    const formless = { ...needed, ...without, STORAGE_FORMS: 'off' }
    expect(readApiConfig(formless)).toMatchObject({ STORAGE_FORMS: 'off', STORAGE_VERSIONS: 'off' })
  })

  it('is not thought of unless it is said', () => {
    expect(readApiConfig(needed)).toMatchObject({ STORAGE_FORMS: 'on', STORAGE_VERSIONS: 'on' })
  })
})
