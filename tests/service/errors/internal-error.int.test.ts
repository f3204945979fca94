/** Causes a real internal error: in a database of its own, the service loses a privilege that it needs. */
import { ApiProcess, Caller, newCaller, resetDatabase, Superuser, stackEnv, withDatabase } from '@reelkeep/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'

const env = withDatabase(stackEnv(), 'internal_error')
let api: ApiProcess
let caller: Caller
let superuser: Superuser
beforeAll(async () => {
  await resetDatabase(env)
  superuser = await Superuser.open(env)
  api = await ApiProcess.start({}, env)
  caller = await newCaller(api.send, env)
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await superuser[Symbol.asyncDispose]()
})

it('500: the response has only the request ID, the log has the details, and the service continues', async () => {
  await superuser.query('revoke select, insert on folders from reelkeep_api')
  const { status, body, text, headers } = await caller.get('assets/folders/')
  expect(status).toBe(500)
  expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
  expect(body).toEqual({
    type: `${api.baseUrl}/docs/errors/internal_error/`,
    title: 'Internal Server Error',
    status: 500,
    detail: 'An internal error occurred. Report the request_id to the operator.',
    code: 'internal_error',
    errors: [],
    request_id: headers['x-request-id'],
  })
  const leaks = /permission|denied|folders|select|postgres|42501|\.ts|node_modules|at /i
  expect(JSON.stringify({ ...body, request_id: '' })).not.toMatch(leaks)
  expect(JSON.stringify({ ...headers, 'x-request-id': '' })).not.toMatch(leaks)
  expect(text).not.toContain('stack')

  await expect.poll(() => api.log).toContain('permission denied for table folders')
  const line = api.log.split('\n').find((line) => line.includes('permission denied'))
  expect(line).toContain(body.request_id)

  await superuser.query('grant select, insert on folders to reelkeep_api')
  expect((await caller.get('assets/folders/')).status).toBe(200)
})

it('500: the response is not stored under the Idempotency-Key, so the request can be repeated with the same key', async () => {
  const create = () => caller.post('assets/folders/', { title: 'x' }, { 'idempotency-key': 'once' })
  await superuser.query('revoke insert on folders from reelkeep_api')
  expect((await create()).status).toBe(500)
  await superuser.query('grant insert on folders to reelkeep_api')
  const { status, headers } = await create()
  expect(status).toBe(201)
  expect(headers).not.toHaveProperty('idempotency-replayed')
})

it('503: a table locked for too long counts as temporarily unavailable, not as an internal error', async () => {
  await using slow = await ApiProcess.start({ DATABASE_STATEMENT_TIMEOUT_SECONDS: '1' }, env)
  const slowCaller = new Caller(slow.send, caller.organizationId, caller.token)
  await superuser.query('begin')
  await superuser.query('lock table folders in access exclusive mode')
  const { status, body, headers } = await slowCaller.get('assets/folders/')
  await superuser.query('rollback')
  expect({ status, code: body.code }).toEqual({ status: 503, code: 'unavailable' })
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  expect((await slowCaller.get('assets/folders/')).status).toBe(200)
})
