import { createHash } from 'node:crypto'
import type { folders, tokens } from '@reelkeep/contract'
import { newAccount, newMember, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'
import { sessionSchedules } from './sessions.jobs.ts'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())

const origin = new URL(testApi.context.config.PUBLIC_URL).origin
const newToken = { name: 'Deploy', scopes: ['folders:read'] }
const newFolder = { title: 'Lectures' }

const ageSignIn = (sessionId: string, interval: string) =>
  superuser.query(`update people.sessions set authenticated_at = now() - $2::interval where id = $1`, [
    sessionId,
    interval,
  ])

describe('a request with the cookie of a session', () => {
  it('has the scopes of the member', async () => {
    const backend = await testApi.newOrganization()
    const { caller } = await newMember(superuser, backend, { scopes: ['folders:read'] })
    expect((await caller.get('assets/folders/')).status).toBe(200)
    const refused = await caller.post('assets/folders/', newFolder)
    expect(refused.status).toBe(403)
    expect(refused.body).toMatchObject({ code: 'insufficient_scope', detail: expect.stringContaining('Your role') })
  })

  it('is refused in an organization that the person does not belong to', async () => {
    const { caller } = await newMember(superuser, await testApi.newOrganization())
    const other = await testApi.newOrganization()
    const { status, body } = await caller.at(other.organizationId).get('assets/folders/')
    expect(status).toBe(404)
    expect(body).toMatchObject({ code: 'organization_not_found' })
  })

  it('is ignored if the request has an Authorization header', async () => {
    const backend = await testApi.newOrganization()
    const { caller } = await newMember(superuser, backend)
    expect((await caller.get('assets/folders/', { authorization: 'token wrong' })).status).toBe(401)
  })

  it('names the member as the creator', async () => {
    const { caller, id } = await newMember(superuser, await testApi.newOrganization())
    const { body } = await caller.post<tokens.NewToken>('tokens/', newToken)
    expect(body.created_by).toEqual({ kind: 'member', id, name: 'Ada' })
  })

  it('finds no current token', async () => {
    const { caller } = await newMember(superuser, await testApi.newOrganization())
    expect((await caller.get('tokens/current/')).status).toBe(404)
    expect((await caller.get<{ results: unknown[] }>('tokens/')).body.results).toHaveLength(1)
  })

  it.each([
    ['expires', `update people.sessions set expires_at = now() where id = $1`, 'sessionId'],
    [
      'is unused for the idle time',
      `update people.sessions set last_used_at = now() - interval '13 hours' where id = $1`,
      'sessionId',
    ],
    ['is deleted', 'delete from people.sessions where id = $1', 'sessionId'],
    ['belongs to a member who is removed', 'update tokens set revoked_at = now() where id = $1', 'id'],
  ] as const)('is refused once the session %s', async (_, change, key) => {
    const member = await newMember(superuser, await testApi.newOrganization())
    await superuser.query(change, [member[key]])
    expect([401, 404]).toContain((await member.caller.get('assets/folders/')).status)
  })
})

describe('a response with a secret', () => {
  it('is stored encrypted with the secret of the session', async () => {
    const backend = await testApi.newOrganization()
    const { caller } = await newMember(superuser, backend)
    const key = { 'idempotency-key': 'only-once' }
    const first = await caller.post<tokens.NewToken>('tokens/', newToken, key)
    const [saved] = await superuser.query<{ answer: Buffer }>(
      'select answer from idempotency_keys where organization_id = $1',
      [backend.organizationId],
    )
    expect(saved?.answer.toString('latin1')).not.toContain(first.body.token)
    expect(saved?.answer.toString('latin1')).not.toContain('Deploy')
    expect((await caller.post<tokens.NewToken>('tokens/', newToken, key)).body.token).toBe(first.body.token)
    expect((await backend.post('tokens/', newToken, key)).body).toMatchObject({ code: 'idempotency_key_reused' })
  })
})

describe('a request that changes something', () => {
  const other = 'https://attacker.example'
  it.each([
    ['same-origin', {}, 201],
    ['same-origin with our origin', { origin }, 201],
    ['our origin without Sec-Fetch-Site', { 'sec-fetch-site': '', origin }, 201],
    ['same-origin with another origin', { origin: other }, 403],
    ['cross-site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['same-site', { 'sec-fetch-site': 'same-site', origin }, 403],
    ['none', { 'sec-fetch-site': 'none' }, 403],
    ['another origin', { 'sec-fetch-site': '', origin: other }, 403],
    ['neither header', { 'sec-fetch-site': '' }, 403],
    ['the origin null', { 'sec-fetch-site': '', origin: 'null' }, 403],
  ] as const)('from %s gets %o → %i', async (_, headers, status) => {
    const { caller } = await newMember(superuser, await testApi.newOrganization())
    const kept = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))
    const without = 'sec-fetch-site' in headers && headers['sec-fetch-site'] === ''
    const answer = await (without
      ? testApi.send({
          method: 'POST',
          path: `/api/v1/${caller.organizationId}/assets/folders/`,
          headers: {
            cookie: `__Host-reelkeep-session=${caller.token}`,
            'content-type': 'application/json',
            ...kept,
          },
          body: JSON.stringify(newFolder),
        })
      : caller.post<folders.Folder>('assets/folders/', newFolder, kept))
    expect(answer.status).toBe(status)
    if (status === 403) expect(answer.text).toContain('cross_site_request')
  })
})

describe('an operation that needs a recent sign-in', () => {
  it('is refused eleven minutes after the sign-in, but not for a token', async () => {
    const backend = await testApi.newOrganization()
    const { caller, sessionId } = await newMember(superuser, backend)
    await ageSignIn(sessionId, '11 minutes')
    const { status, body } = await caller.post('tokens/', newToken)
    expect(status).toBe(403)
    expect(body).toMatchObject({ code: 'recent_sign_in_required' })
    expect((await backend.post('tokens/', newToken)).status).toBe(201)
    expect((await caller.post('assets/folders/', newFolder)).status).toBe(201)
  })

  it('is allowed nine minutes after the sign-in', async () => {
    const { caller, sessionId } = await newMember(superuser, await testApi.newOrganization())
    await ageSignIn(sessionId, '9 minutes')
    expect((await caller.post('tokens/', newToken)).status).toBe(201)
  })
})

describe('the schedule delete-ended-sessions', () => {
  it('deletes sessions, challenges, counters and networks that have ended, and no others', async () => {
    const backend = await testApi.newOrganization()
    const [ended, live] = [await newMember(superuser, backend), await newMember(superuser, backend)]
    await superuser.query('update people.sessions set expires_at = now() where id = $1', [ended.sessionId])
    const account = await newAccount(testApi)
    const add = async (name: string, age: string) => {
      const hash = createHash('sha256').update(`${name} ${account.id}`).digest()
      await superuser.query(
        `insert into people.challenges (hash, kind, browser_hash, content, expires_at)
         values ($1, 'oidc', $1, '{}', now() + $2::interval)`,
        [hash, age],
      )
      await superuser.query(
        'insert into people.sign_in_attempts (key, attempts, forget_at) values ($1, 1, now() + $2::interval)',
        [...[hash, age]],
      )
      await superuser.query(
        `insert into people.known_networks (account_id, network_hash, last_used_at)
         values ($1, $2, now() - interval '180 days' + $3::interval)`,
        [account.id, hash, age],
      )
      return hash
    }
    const hashes = [await add('old', '-1 minute'), await add('new', '1 hour')]
    const [schedule] = sessionSchedules(testApi.context.database)
    await schedule?.run({ signal: new AbortController().signal, logger: testApi.context.logger })
    const left = async (query: string, values: unknown[]) =>
      (await superuser.query<{ key: unknown }>(query, values)).map(({ key }) => key)
    const ids = [ended.sessionId, live.sessionId]
    expect(await left('select id as key from people.sessions where id = any ($1)', [ids])).toEqual([live.sessionId])
    const kept = [hashes[1]]
    expect(await left('select hash as key from people.challenges where hash = any ($1)', [hashes])).toEqual(kept)
    expect(await left('select key from people.sign_in_attempts where key = any ($1)', [hashes])).toEqual(kept)
    const networks = 'select network_hash as key from people.known_networks where account_id = $1'
    expect(await left(networks, [account.id])).toEqual(kept)
  })
})
