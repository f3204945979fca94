/** Calls every operation at the most verbose log level, and checks that the log contains no secret. */
import type { accessTokens } from '@reelkeep/contract'
import {
  ApiProcess,
  type Caller,
  newCaller,
  openSession,
  resetDatabase,
  Superuser,
  stackEnv,
  withDatabase,
} from '@reelkeep/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callEveryOperation } from '../errors/every-operation.ts'

const databaseName = 'log_secrets'
const env = withDatabase(stackEnv(), databaseName)
let superuser: Superuser
let api: ApiProcess
let caller: Caller
beforeAll(async () => {
  await resetDatabase(env)
  superuser = await Superuser.open(env)
  // Short streams, so that the test can wait for their end.
  api = await ApiProcess.start({ LOG_LEVEL: 'trace', EVENT_STREAM_SECONDS: '1' }, env)
  caller = await newCaller(api.send, env)
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await superuser[Symbol.asyncDispose]()
})

/** The last part of each secret, which must not occur in the log. */
const secrets = new Set<string>()

function addSecrets(...texts: string[]) {
  for (const text of texts) secrets.add(text.slice(text.lastIndexOf('_') + 1))
}

/** Adds the signature of a signed token to the secrets. */
function keepSigned(token: string) {
  secrets.add(token.slice(token.lastIndexOf('.') + 1))
}

function addSecretsOf(response: unknown) {
  const { token, playback_url, private_jwk, secret, link } = (response ?? {}) as Record<string, unknown>
  if (typeof secret === 'string') addSecrets(secret)
  if (typeof link === 'string') addSecrets(link)
  if (private_jwk) secrets.add((private_jwk as { d: string }).d)
  if (typeof token !== 'string') return
  if (playback_url) keepSigned(token)
  else addSecrets(token)
}

async function expectNoSecretIn(lines: () => string, marker: string) {
  await expect.poll(lines, { message: 'the last log line' }).toContain(marker)
  const log = lines()
  for (const secret of secrets) expect(log.includes(secret), secret).toBe(false)
  expect(log).not.toMatch(/authorization|secretKey|"password"/i)
}

const passwordIn = (url: string) => decodeURIComponent(new URL(url).password)

describe('the log', () => {
  it('contains no token and no password after every operation was called', async () => {
    addSecrets(caller.token, passwordIn(env.DATABASE_URL))
    addSecrets(env.KEY_ENCRYPTION_KEYS.slice(env.KEY_ENCRYPTION_KEYS.indexOf(':') + 1))
    for (const { body, status } of (await callEveryOperation(caller, env)).values()) {
      expect(status).toBeLessThan(300)
      addSecretsOf(body)
    }
    const last = await caller.get('tokens/current/')
    await expectNoSecretIn(() => api.log, last.headers['x-request-id'] ?? '')
    expect(secrets.size).toBeGreaterThan(3)
  })

  it('contains no secret after rejected requests', async () => {
    const wrong = `${caller.token.slice(0, -1)}!canary0wrong`
    addSecrets('canary0wrong', 'canary1scheme', 'canary2body', 'canary3query', 'canary4key')
    await caller.withToken(wrong).get('tokens/')
    await caller.get('tokens/', { authorization: 'Basic canary1scheme' })
    await caller.post('tokens/', '{"name": "canary2body')
    await caller.post('tokens/', { name: 'x', scopes: ['canary2body'], password: 'canary2body' })
    await caller.get('assets/folders/?token=canary3query')
    await caller.post('assets/folders/', { title: 'x' }, { 'idempotency-key': 'canary4key' })
    const last = await caller.get('nowhere/?token=canary3query')
    await expectNoSecretIn(() => api.log, last.headers['x-request-id'] ?? '')
  })

  it('contains no playback token after authorized and denied requests of viewers', async () => {
    const { asset } = await openSession(caller)
    const path = `assets/${asset.id}/access-tokens/`
    const { body } = await caller.post<accessTokens.NewAccessToken>(path, { single_use: true })
    keepSigned(body.token)
    addSecrets('canary6token')
    const own = `${caller.organizationId}/${asset.id}`
    for (const [method, path] of [
      ['GET', `/play/${body.token}/${own}/master.m3u8`],
      ['HEAD', `/play/${body.token}/${own}/240p.m3u8`],
      ['POST', `/play/${body.token}/${own}/master.m3u8`],
      ['GET', `/play/${body.token}/${own}/%zz`],
      ['GET', `/play/canary6token/${own}/master.m3u8`],
      ['GET', `/play-access/${body.token}/${own}/`],
      ['GET', `/plays/${body.token}/${own}/`],
    ] as const) {
      const { status } = await api.send({ method, path, headers: {}, body: undefined })
      expect(status).toBeGreaterThanOrEqual(400)
    }
    const last = await caller.get('tokens/current/')
    await expectNoSecretIn(() => api.log, last.headers['x-request-id'] ?? '')
  })

  it('contains no secret after an internal error', async () => {
    await superuser.query('revoke insert on tokens from reelkeep_api')
    addSecrets('canary5name')
    const { status, body } = await caller.post('tokens/', { name: 'canary5name', scopes: ['*'] })
    expect(status).toBe(500)
    await superuser.query('grant insert on tokens to reelkeep_api')
    await expectNoSecretIn(() => api.log, body.request_id)
  })

  it('contains no secret after connections to Postgres broke', async () => {
    await superuser.query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
       where datname = $1 and usename = 'reelkeep_api'`,
      [databaseName],
    )
    await expectNoSecretIn(() => api.log, 'connection failed')
  })

  it('records caller, operation and result of each request', async () => {
    const { headers } = await caller.get('assets/folders/11111111111/')
    const id = headers['x-request-id'] ?? ''
    const lineOf = () => api.log.split('\n').find((line) => line.includes(id)) ?? ''
    await expect.poll(lineOf).not.toBe('')
    expect(JSON.parse(lineOf())).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      request_id: id,
      operation: 'readFolder',
      method: 'GET',
      status: 404,
      code: 'folder_not_found',
      milliseconds: expect.any(Number),
      organization_id: caller.organizationId,
      token_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  it('has one JSON object per line', () => {
    for (const line of api.log.trim().split('\n')) expect(() => JSON.parse(line), line).not.toThrow()
  })
})
