import { describe, expect, it } from 'vitest'
import { ConfigError, readAdminConfig, readApiConfig } from './env.ts'

const DATABASE_URL = 'postgres://reelkeep_api:hunter2@db.example:5432/reelkeep'

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
  it('needs no more than the database', () => {
    expect(readApiConfig({ DATABASE_URL })).toMatchObject({
      DATABASE_URL,
      DATABASE_CONNECTIONS_MAX: 16,
      DATABASE_STATEMENT_TIMEOUT_SECONDS: 10,
      HOST: '127.0.0.1',
      PORT: 8080,
      OPERATIONS_PORT: 8081,
      PUBLIC_URL: 'http://127.0.0.1:8080',
      LOG_LEVEL: 'info',
      RATE_LIMIT_PER_MINUTE: 6000,
      TRUSTED_PROXY_HOPS: 0,
      DRAIN_SECONDS: 5,
    })
  })

  it('reads numbers, and an address without the slash at its end', () => {
    const env = {
      DATABASE_URL,
      PORT: '80',
      PUBLIC_URL: 'https://video.example/',
      DRAIN_SECONDS: '0',
    }
    expect(readApiConfig(env)).toMatchObject({
      PORT: 80,
      PUBLIC_URL: 'https://video.example',
      DRAIN_SECONDS: 0,
    })
  })

  it('takes an empty variable for one that is not set', () => {
    const env = { DATABASE_URL, PORT: '', LOG_LEVEL: '', PUBLIC_URL: '' }
    expect(readApiConfig(env)).toEqual(readApiConfig({ DATABASE_URL }))
    expect(messageOf(() => readApiConfig({ DATABASE_URL: '' }))).toContain(
      'DATABASE_URL: is required but not set',
    )
  })

  it('does not mind what else is set', () => {
    expect(readApiConfig({ DATABASE_URL, HOME: '/root', PATH: '/bin' })).not.toHaveProperty('HOME')
  })

  it('tells every fault at once', () => {
    const env = {
      DATABASE_URL: 'mysql://u:hunter2@db',
      DATABASE_CONNECTIONS_MAX: '0',
      DATABASE_STATEMENT_TIMEOUT_SECONDS: 'ten',
      PORT: '65536',
      OPERATIONS_PORT: '-1',
      PUBLIC_URL: 'ftp://video.example',
      LOG_LEVEL: 'loud',
      RATE_LIMIT_PER_MINUTE: '1.5',
      TRUSTED_PROXY_HOPS: '11',
      DRAIN_SECONDS: '301',
    }
    const names = namesIn(messageOf(() => readApiConfig(env)))
    expect(names).toEqual(Object.keys(env).sort())
  })

  it('shows no value, least of all a password', () => {
    const secrets = {
      DATABASE_URL: 'mysql://u:hunter2@db',
      PUBLIC_URL: 'https//user:hunter2@video.example',
      LOG_LEVEL: 'hunter2',
      PORT: 'hunter2',
      DRAIN_SECONDS: 'hunter2',
    }
    const message = messageOf(() => readApiConfig(secrets))
    expect(namesIn(message)).toEqual(Object.keys(secrets).sort())
    expect(message).not.toContain('hunter2')
  })

  it.each([
    ['no port that is a number', 'postgres://reelkeep_api:hunter2@db.example:port/reelkeep'],
    ['no host that is one', 'postgres://reelkeep_api:hunter2@[/reelkeep'],
  ])('refuses at once a database address that has %s', (_, address) => {
    const message = messageOf(() => readApiConfig({ DATABASE_URL: address }))
    expect(namesIn(message)).toEqual(['DATABASE_URL'])
    expect(message).not.toContain('hunter2')
  })
})

describe('readAdminConfig', () => {
  it('needs the address of the database as its owner, and nothing else', () => {
    const DATABASE_OWNER_URL = 'postgresql://reelkeep_owner:hunter2@db/reelkeep'
    expect(readAdminConfig({ DATABASE_OWNER_URL })).toEqual({ DATABASE_OWNER_URL })
    expect(namesIn(messageOf(() => readAdminConfig({ DATABASE_URL })))).toEqual([
      'DATABASE_OWNER_URL',
    ])
  })
})
