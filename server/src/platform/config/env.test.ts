import { hostname } from 'node:os'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ConfigError, readAdminConfig, readApiConfig, readStorageSetupConfig, readWorkerConfig } from './env.ts'

const DATABASE_URL = 'postgres://reelkeep_api:hunter2@db.example:5432/reelkeep'

const storage = {
  STORAGE_ENDPOINT: 'http://storage.example',
  STORAGE_ACCESS_KEY_ID: 'key',
  STORAGE_SECRET_ACCESS_KEY: 'hunter2',
}
const KEY_ENCRYPTION_KEYS = `first:${Buffer.alloc(32, 'hunter2').toString('base64')}`
/** Required settings of the API. */
const PLAYBACK_SECRET = 'hunter2'.repeat(5)
const needed = { ...storage, KEY_ENCRYPTION_KEYS, DATABASE_URL, PLAYBACK_SECRET }
/** Required settings of a worker, except its database. */
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

const namesIn = (message: string) => [...message.matchAll(/^ {2}(\w+): /gm)].map(([, name]) => name).sort()

describe('readApiConfig', () => {
  it('requires only the database, storage and secrets', () => {
    expect(readApiConfig(needed)).toMatchObject({
      DATABASE_URL,
      DATABASE_CONNECTIONS_MAX: 16,
      DATABASE_CONNECT_TIMEOUT_SECONDS: 5,
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

  it('parses numbers and removes the trailing slash of URLs', () => {
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

  it('treats an empty variable as not set', () => {
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
  ])('accepts only existing queues in WORKER_QUEUES: %s', (text, isValid) => {
    const read = () =>
      readWorkerConfig({ ...shared, DATABASE_WORKER_URL: DATABASE_URL, WORKER_QUEUES: text }).WORKER_QUEUES
    if (isValid) expect(read()).toEqual(['light', 'probe'])
    else expect(messageOf(read)).toContain('WORKER_QUEUES: must be some of light, probe, encode, extras')
  })

  it('requires TRANSCRIBER_URL if TRANSCRIBER is openai, and does not print TRANSCRIBER_KEY', () => {
    const worker = { ...shared, DATABASE_WORKER_URL: DATABASE_URL }
    expect(readWorkerConfig(worker)).toMatchObject({ TRANSCRIBER: 'moonshine' })
    const server = { ...worker, TRANSCRIBER: 'openai', TRANSCRIBER_KEY: 'hunter2' }
    const message = messageOf(() => readWorkerConfig(server))
    expect(namesIn(message)).toEqual(['TRANSCRIBER_URL'])
    expect(message).not.toContain('hunter2')
    const TRANSCRIBER_URL = 'http://whisper.internal:8000/'
    expect(readWorkerConfig({ ...server, TRANSCRIBER_URL })).toMatchObject({
      ...{ TRANSCRIBER_URL: 'http://whisper.internal:8000', TRANSCRIBER_MODEL: 'whisper-1' },
    })
    expect(messageOf(() => readWorkerConfig({ ...worker, TRANSCRIBER: 'siri' }))).toContain('TRANSCRIBER: ')
  })

  it('ignores variables that are not settings', () => {
    expect(readApiConfig({ ...needed, HOME: '/root', PATH: '/bin' })).not.toHaveProperty('HOME')
  })

  it('reports all errors at once', () => {
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

  it.each(['STORAGE_UPLOAD_ACCESS_KEY_ID', 'STORAGE_UPLOAD_SECRET_ACCESS_KEY'])(
    'refuses %s alone: an upload key has both',
    (name) => {
      const message = messageOf(() => readApiConfig({ ...needed, [name]: 'hunter2' }))
      expect(message).toContain('STORAGE_UPLOAD_ACCESS_KEY_ID')
      expect(message).not.toContain('hunter2')
    },
  )

  it('reports errors without printing values', () => {
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
    ['an invalid port', 'postgres://reelkeep_api:hunter2@db.example:port/reelkeep'],
    ['an invalid host', 'postgres://reelkeep_api:hunter2@[/reelkeep'],
  ])('refuses a database URL with %s', (_, address) => {
    const message = messageOf(() => readApiConfig({ ...needed, DATABASE_URL: address }))
    expect(namesIn(message)).toEqual(['DATABASE_URL'])
    expect(message).not.toContain('hunter2')
  })
})

describe('readWorkerConfig', () => {
  const DATABASE_WORKER_URL = 'postgres://reelkeep_worker:hunter2@db.example:5432/reelkeep'

  it('requires only the database, storage and a key; the default id is host name and port', () => {
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

  it('does not use the database URL of the API', () => {
    expect(namesIn(messageOf(() => readWorkerConfig(needed)))).toEqual(['DATABASE_WORKER_URL'])
  })
})

describe('API_ORIGINS', () => {
  it('is empty by default and accepts commas and spaces as separators', () => {
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

describe('SECURITY_CONTACT', () => {
  const read = (SECURITY_CONTACT: string) => readApiConfig({ ...needed, SECURITY_CONTACT }).SECURITY_CONTACT

  it.each(['mailto:security@video.example', 'https://video.example/security'])('accepts %s', (contact) => {
    expect(read(contact)).toBe(contact)
  })

  it.each(['security@video.example', 'http://video.example/', 'mailto:a@b.example\nExpires: never'])(
    'refuses %j',
    (contact) => {
      expect(namesIn(messageOf(() => read(contact)))).toEqual(['SECURITY_CONTACT'])
    },
  )
})

describe('webhook settings', () => {
  const read = (settings: Record<string, string> = {}) => readApiConfig({ ...needed, ...settings })

  it('allow only port 443 and no private networks by default', () => {
    expect(read()).toMatchObject({ WEBHOOK_PORTS: [443], WEBHOOK_DEVELOPMENT_NETWORKS: [] })
    expect(read({ WEBHOOK_PORTS: '443, 8443' }).WEBHOOK_PORTS).toEqual([443, 8443])
    const WEBHOOK_DEVELOPMENT_NETWORKS = '127.0.0.0/8:* fd00:1::/32:8080'
    expect(read({ WEBHOOK_DEVELOPMENT_NETWORKS })).toMatchObject({
      WEBHOOK_DEVELOPMENT_NETWORKS: ['127.0.0.0/8:*', 'fd00:1::/32:8080'],
    })
  })

  it.each([
    ['WEBHOOK_PORTS', 'https'],
    ['WEBHOOK_PORTS', '0'],
    ['WEBHOOK_PORTS', '443,65536'],
    ['WEBHOOK_PORTS', ','],
    ['WEBHOOK_DEVELOPMENT_NETWORKS', '127.0.0.0/8'],
    ['WEBHOOK_DEVELOPMENT_NETWORKS', '127.0.0.0/8:*,*'],
  ])('refuse %s=%s', (name, text) => {
    expect(messageOf(() => read({ [name]: text }))).toContain(`  ${name}`)
  })
})

describe('trace settings', () => {
  it('disable tracing without a collector', () => {
    expect(readApiConfig(needed).OTEL_EXPORTER_OTLP_ENDPOINT).toBeUndefined()
  })

  it('include the decoded headers and the sampling ratio', () => {
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
  ])('refuse %s=%s without printing the value', (name, value) => {
    const message = messageOf(() => readApiConfig({ ...needed, [name]: value }))
    expect(namesIn(message)).toEqual([name])
    expect(message).not.toContain('hunter2')
  })
})

describe('KEY_ENCRYPTION_KEYS', () => {
  const other = `2026-07:${Buffer.alloc(32, 1).toString('base64')}`
  const read = (text: string) => readApiConfig({ ...needed, KEY_ENCRYPTION_KEYS: text })

  it('keeps the order of several keys and does not reveal them when printed', () => {
    const { KEY_ENCRYPTION_KEYS: ring } = read(`${other},${KEY_ENCRYPTION_KEYS}`)
    expect(ring.map(({ id }) => id)).toEqual(['2026-07', 'first'])
    expect(ring[1]?.key.export()).toEqual(Buffer.alloc(32, 'hunter2'))
    const shown = JSON.stringify(ring) + inspect(ring, { depth: null, showHidden: true })
    expect(shown).not.toMatch(/hunter2|aHVudGVy/)
  })

  it.each([
    ['no id', KEY_ENCRYPTION_KEYS.slice('first:'.length)],
    ['an invalid id', KEY_ENCRYPTION_KEYS.replace('first', 'First!')],
    ['a key that is too short', `first:${Buffer.alloc(31, 'hunter2').toString('base64')}`],
    ['a key that is too long', `first:${Buffer.alloc(33, 'hunter2').toString('base64')}`],
    ['a password as key', 'first:hunter2'],
    ['an invalid second key', `${KEY_ENCRYPTION_KEYS},hunter2`],
    ['the same id twice', `${KEY_ENCRYPTION_KEYS},${KEY_ENCRYPTION_KEYS}`],
    ['only a comma', ','],
  ])('is refused with %s, without printing it', (_, text) => {
    const message = messageOf(() => read(text))
    expect(namesIn(message)).toEqual(['KEY_ENCRYPTION_KEYS'])
    expect(message).not.toMatch(/hunter2|aHVudGVy/)
  })

  it('is required for the API and for workers', () => {
    const { KEY_ENCRYPTION_KEYS: _, ...without } = needed
    const expected = 'KEY_ENCRYPTION_KEYS: is required but not set'
    expect(messageOf(() => readApiConfig(without))).toContain(expected)
    expect(messageOf(() => readWorkerConfig(without))).toContain(expected)
  })
})

describe('readAdminConfig', () => {
  it('requires only the owner URL of the database', () => {
    const DATABASE_OWNER_URL = 'postgresql://reelkeep_owner:hunter2@db/reelkeep'
    const config = { DATABASE_OWNER_URL, PUBLIC_URL: 'http://127.0.0.1:8080' }
    expect(readAdminConfig({ DATABASE_OWNER_URL })).toEqual(config)
    expect(namesIn(messageOf(() => readAdminConfig({ DATABASE_URL })))).toEqual(['DATABASE_OWNER_URL'])
  })
})

describe('the DRM configuration', () => {
  const DATABASE_WORKER_URL = 'postgres://reelkeep_worker:hunter2@db.example:5432/reelkeep'
  const read = (more: Record<string, string>) => readWorkerConfig({ ...shared, DATABASE_WORKER_URL, ...more })

  it('uses ClearKey by default', () => {
    expect(read({})).toMatchObject({ DRM_PROVIDER: 'clearkey', DRM_SCHEME: 'cbcs' })
    expect(readApiConfig(needed)).toMatchObject({ DRM_PROVIDER: 'clearkey', DRM_LICENSE_URLS: {} })
  })

  it('requires SPEKE_URL if DRM_PROVIDER is speke', () => {
    expect(namesIn(messageOf(() => read({ DRM_PROVIDER: 'speke' })))).toEqual(['SPEKE_URL'])
    const SPEKE_URL = 'https://keys.example/speke/v2.0'
    expect(read({ DRM_PROVIDER: 'speke', SPEKE_URL, SPEKE_SYSTEMS: 'widevine' })).toMatchObject({
      ...{ SPEKE_URL, SPEKE_SYSTEMS: ['widevine'], SPEKE_TIMEOUT_SECONDS: 20 },
    })
  })

  it('maps license servers to key systems', () => {
    const DRM_LICENSE_URLS = 'com.widevine.alpha=https://wv.example/?a=b, com.apple.fps=https://fps.example'
    expect(readApiConfig({ ...needed, DRM_LICENSE_URLS }).DRM_LICENSE_URLS).toEqual({
      'com.widevine.alpha': 'https://wv.example/?a=b',
      'com.apple.fps': 'https://fps.example',
    })
  })

  it.each([
    ['DRM_LICENSE_URLS', 'widevine=https://wv.example'],
    ['DRM_LICENSE_URLS', 'com.widevine.alpha=javascript:alert(1)'],
    ['DRM_LICENSE_URLS', 'https://wv.example'],
    ['SPEKE_HEADER', 'hunter2'],
    ['SPEKE_HEADER', 'x-api-key: hunter2\r\nHost: elsewhere'],
    ['SPEKE_SYSTEMS', 'wiseplay'],
  ])('refuses %s=%j without printing it', (name, value) => {
    const message = messageOf(() => read({ [name]: value }))
    expect(namesIn(message)).toEqual([name])
    expect(message).not.toContain('hunter2')
  })
})

describe('STORAGE_VERSIONS=off', () => {
  it('is accepted only with STORAGE_FORMS=off', () => {
    const without = { STORAGE_VERSIONS: 'off' }
    expect(namesIn(messageOf(() => readApiConfig({ ...needed, ...without })))).toEqual(['STORAGE_VERSIONS'])
    expect(
      namesIn(messageOf(() => readWorkerConfig({ ...shared, DATABASE_WORKER_URL: DATABASE_URL, ...without }))),
    ).toEqual(['STORAGE_VERSIONS'])
    expect(namesIn(messageOf(() => readStorageSetupConfig({ ...storage, ...without })))).toEqual(['STORAGE_VERSIONS'])
    const formless = { ...needed, ...without, STORAGE_FORMS: 'off' }
    expect(readApiConfig(formless)).toMatchObject({ STORAGE_FORMS: 'off', STORAGE_VERSIONS: 'off' })
  })

  it('is not the default', () => {
    expect(readApiConfig(needed)).toMatchObject({ STORAGE_FORMS: 'on', STORAGE_VERSIONS: 'on' })
  })
})
