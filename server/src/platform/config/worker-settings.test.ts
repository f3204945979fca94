import { describe, expect, it } from 'vitest'
import { ConfigError, readWorkerConfig } from './env.ts'

const needed = {
  DATABASE_WORKER_URL: 'postgres://reelkeep_worker@db.example:5432/reelkeep',
  STORAGE_ENDPOINT: 'http://storage.example',
  STORAGE_ACCESS_KEY_ID: 'key',
  STORAGE_SECRET_ACCESS_KEY: 'secret',
  KEY_ENCRYPTION_KEYS: `first:${Buffer.alloc(32).toString('base64')}`,
}

const read = (env: Record<string, string>) => readWorkerConfig({ ...needed, ...env })

describe('the intervals of a worker', () => {
  it('have defaults', () => {
    expect(read({})).toMatchObject({
      WORKER_LEASE_SECONDS: 10,
      WORKER_HEARTBEAT_SECONDS: 2,
      WORKER_POLL_MILLISECONDS: 250,
    })
  })

  it('can be fractions of a second', () => {
    const env = {
      WORKER_LEASE_SECONDS: '0.5',
      WORKER_HEARTBEAT_SECONDS: '0.1',
      WORKER_POLL_MILLISECONDS: '25',
    }
    expect(read(env)).toMatchObject({
      WORKER_LEASE_SECONDS: 0.5,
      WORKER_HEARTBEAT_SECONDS: 0.1,
      WORKER_POLL_MILLISECONDS: 25,
    })
  })

  it.each([
    ['WORKER_LEASE_SECONDS', '0.4'],
    ['WORKER_LEASE_SECONDS', '301'],
    ['WORKER_HEARTBEAT_SECONDS', '0'],
    ['WORKER_HEARTBEAT_SECONDS', '6'],
    ['WORKER_POLL_MILLISECONDS', '9'],
    ['WORKER_POLL_MILLISECONDS', '2.5'],
  ])('are rejected if %s is %s', (name, value) => {
    expect(() => read({ [name]: value })).toThrow(name)
  })

  it('are rejected if a lease is shorter than three heartbeats', () => {
    const message = 'WORKER_LEASE_SECONDS: must be at least 3 times WORKER_HEARTBEAT_SECONDS'
    const short = { WORKER_LEASE_SECONDS: '5.9' }
    expect(() => read(short)).toThrow(ConfigError)
    expect(() => read(short)).toThrow(message)
    expect(read({ WORKER_LEASE_SECONDS: '6' }).WORKER_LEASE_SECONDS).toBe(6)
  })
})
