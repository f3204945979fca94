/** The life of an upload token. Which operations accept it: tests/service/operations/upload-tokens.int.test.ts. */
import type { Scope, tokens, uploadSessions } from '@reelkeep/contract'
import { type Caller, openSession, postForm, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'

const testApi = await opened(TestApi.open({ RATE_LIMIT_PER_TOKEN_PER_MINUTE: '40' }))
const superuser = await opened(Superuser.open())

type Opened = uploadSessions.NewUploadSession
type Details = uploadSessions.UploadSessionDetails

const SESSIONS = 'assets/upload-sessions/'
const input = { title: 'Lecture', resolutions: ['360p'], upload_token: true }
const pathOf = ({ upload_session }: Opened) => `${SESSIONS}${upload_session.uuid}/`

async function newToken(caller: Caller, scopes: readonly Scope[], expiresInSeconds?: number) {
  const expires_at = expiresInSeconds && new Date(Date.now() + expiresInSeconds * 1000).toISOString()
  const fields = { name: 'Backend', scopes, ...(expires_at && { expires_at }) }
  const { body } = await caller.post<tokens.NewToken>('tokens/', fields)
  return { ...body, holder: caller.withToken(body.token) }
}

async function openWithToken(backend: Caller, more: object = {}) {
  const session = await openSession(backend, { upload_token: true, ...more })
  return { session, page: backend.withToken(session.upload_token ?? '') }
}

async function openPage(more: object = {}) {
  const caller = await testApi.newOrganization()
  return { caller, ...(await openWithToken(caller, more)) }
}

/** The status of a request after the cached result of the last check was dropped. */
async function statusOf(page: Caller, session: Opened): Promise<number> {
  testApi.context.tokenCache.invalidate(page.organizationId as never)
  return (await page.get(pathOf(session))).status
}

describe('a created upload token', () => {
  it('has a prefix of its own and is returned only if it was asked for', async () => {
    const { session, caller } = await openPage()
    expect(session.upload_token).toMatch(new RegExp(`^rlku_${caller.organizationId}_[0-9A-Za-z]{38}$`))
    expect(await openSession(caller)).not.toHaveProperty('upload_token')
  })

  it('is stored only as a hash, and sealed in the stored response', async () => {
    const caller = await testApi.newOrganization()
    const key = { 'idempotency-key': 'once' }
    const first = await caller.post<Opened>(SESSIONS, input, key)
    const again = await caller.post<Opened>(SESSIONS, input, key)
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(again.body.upload_token).toBe(first.body.upload_token)
    const rows = await superuser.query<{ row: string }>(
      `select s::text as row from upload_sessions s where organization_id = $1
       union all select encode(answer, 'escape') from idempotency_keys where organization_id = $1
       union all select o::text from event_outbox o where organization_id = $1
       union all select e::text from events e where organization_id = $1`,
      [caller.organizationId],
    )
    const stored = rows.map(({ row }) => row).join('\n')
    expect(stored).toContain(first.body.upload_session.uuid)
    expect(stored).not.toContain(first.body.upload_token)
  })

  it('403: is not granted by a token that cannot read sessions itself', async () => {
    const caller = await testApi.newOrganization()
    const { holder } = await newToken(caller, ['assets:write'])
    const { status, body } = await holder.post(SESSIONS, input)
    expect([status, body.code]).toEqual([403, 'insufficient_scope'])
    expect(body.errors[0]?.field).toBe('upload_token')
    expect((await holder.post(SESSIONS, { ...input, upload_token: false })).status).toBe(201)
  })

  it('does not count as a use of the API token that created it', async () => {
    const caller = await testApi.newOrganization()
    const { holder, id } = await newToken(caller, ['assets:read', 'assets:write'])
    const { session, page } = await openWithToken(holder)
    await superuser.query('update tokens set last_used_at = null where id = $1', [id])
    expect(await statusOf(page, session)).toBe(200)
    expect((await caller.get<tokens.Token>(`tokens/${id}/`)).body.last_used_at).toBeNull()
  })
})

describe('an upload token ends', () => {
  it('401: when the API token that created it is revoked', async () => {
    const caller = await testApi.newOrganization()
    const { holder, id } = await newToken(caller, ['assets:read', 'assets:write'])
    const { session, page } = await openWithToken(holder)
    expect((await page.get(pathOf(session))).status).toBe(200)
    await caller.delete(`tokens/${id}/`)
    expect((await page.get(pathOf(session))).status).toBe(401)
  })

  it('401: when the API token that created it expires; its forms and parts expire with that token', async () => {
    const caller = await testApi.newOrganization()
    const { holder, id, expires_at } = await newToken(caller, ['assets:read', 'assets:write'], 3600)
    const { session, page } = await openWithToken(holder)
    const renewed = await page.post<Opened>(`${pathOf(session)}renew/`)
    const parts = await page.post<{ expires_at: string }>(`${pathOf(session)}parts/`, {
      file_size_bytes: 100,
      numbers: [1],
    })
    expect([renewed.body.upload_session.expires_at, parts.body.expires_at]).toEqual([expires_at, expires_at])
    await superuser.query('update tokens set expires_at = now() where id = $1', [id])
    expect(await statusOf(page, session)).toBe(401)
  })

  it('401: while its asset is in the trash', async () => {
    const { caller, session, page } = await openPage()
    await caller.delete(`assets/${session.asset.id}/`)
    expect(await statusOf(page, session)).toBe(401)
    expect((await caller.post(`assets/${session.asset.id}/restore/`)).status).toBe(200)
    expect(await statusOf(page, session)).toBe(200)
  })

  it('401: when its session has ended and would have expired', async () => {
    const { session, page } = await openPage()
    expect((await page.delete(pathOf(session))).status).toBe(204)
    expect((await page.get<Details>(pathOf(session))).body.status).toBe('Cancelled')
    await superuser.query('update upload_sessions set expires_at = now() where uuid = $1', [
      session.upload_session.uuid,
    ])
    expect(await statusOf(page, session)).toBe(401)
  })

  it('401: when a secret scanner reports it', async () => {
    const { session, page } = await openPage()
    expect((await page.get(pathOf(session))).status).toBe(200)
    const body = JSON.stringify([{ token: session.upload_token }])
    const headers = { 'content-type': 'application/json' }
    const { status } = await testApi.send({ method: 'POST', path: '/token-reports', headers, body })
    expect(status).toBe(204)
    expect((await page.get(pathOf(session))).status).toBe(401)
  })
})

describe('the response to an upload token', () => {
  it('has no fields of the client and no URLs of the video', async () => {
    const fields = { description: 'Private', tags: ['a'], external_id: 'x-1', metadata: { user: '17' } }
    const { caller, session, page } = await openPage(fields)
    await postForm(session)
    const set = `cover_key = 'c', thumbnail_keys = '{t}', storyboard_key = 's', playable_at = now()`
    await superuser.query(`update assets set ${set} where id = $1`, [session.asset.id])
    const renewed = await page.post<Opened>(`${pathOf(session)}renew/`)
    await page.post(`${pathOf(session)}complete/`)
    await superuser.query(`update assets set ${set}, status = 'Processing' where id = $1`, [session.asset.id])
    const completed = await page.post<uploadSessions.CompletedUploadSession>(`${pathOf(session)}complete/`)
    for (const { asset } of [renewed.body, completed.body]) {
      expect(asset).toMatchObject({ id: session.asset.id, title: 'A video', description: '', tags: [] })
      expect(asset).toMatchObject({ external_id: null, metadata: {}, created_by: { name: null } })
      expect(asset.video).toMatchObject({ playback_url: null, dash_url: null, thumbnails: [], tracks: [] })
      expect(asset.video.cover_thumbnail_url).toBeNull()
    }
    const own = await caller.post<uploadSessions.CompletedUploadSession>(`${pathOf(session)}complete/`)
    expect(own.body.asset.video.playback_url).not.toBeNull()
    expect(own.body.asset).toMatchObject(fields)
  })
})

describe('the rate limit', () => {
  it('429: counts each upload token by itself, and the API token not at all', async () => {
    const { caller, session, page } = await openPage()
    const statuses = new Set<number>()
    for (let request = 0; request < 41; request++) statuses.add((await page.get(pathOf(session))).status)
    expect([...statuses]).toEqual([200, 429])
    const other = await openWithToken(caller)
    expect((await other.page.get(pathOf(other.session))).status).toBe(200)
    const { headers } = await page.get(pathOf(session))
    expect(headers['ratelimit-policy']).toContain('"upload-token";q=40')
  })
})
