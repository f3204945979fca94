import { createHash } from 'node:crypto'
import type { Page, tokens } from '@reelkeep/contract'
import { Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())

const fields = { name: 'Deploy', scopes: ['*'] }
const keyed = { 'idempotency-key': 'only-once' }

const secretOf = (token: string) => token.slice(token.lastIndexOf('_') + 1)

/** The text in every encoding in which it might be stored; bytea columns are shown as hexadecimal. */
function encodingsOf(text: string): string[] {
  const bytes = Buffer.from(text)
  const base64 = bytes.toString('base64').replace(/=+$/, '')
  return [text, bytes.toString('hex'), base64, bytes.toString('base64url')]
}

async function everyRowOf(organizationId: string): Promise<string> {
  const rows = await superuser.query<{ row: string }>(
    `select t::text as row from tokens t where organization_id = $1
     union all select k::text from idempotency_keys k where organization_id = $1`,
    [organizationId],
  )
  return rows.map(({ row }) => row).join('\n')
}

describe('the secret of a token', () => {
  it('is stored only as a hash, also with an Idempotency-Key', async () => {
    const caller = await testApi.newOrganization()
    const { body } = await caller.post<tokens.NewToken>('tokens/', fields, keyed)
    const stored = await everyRowOf(caller.organizationId)
    for (const form of encodingsOf(secretOf(body.token))) expect(stored).not.toContain(form)
    const [row] = await superuser.query<{ token_hash: Buffer }>('select token_hash from tokens where id = $1', [
      body.id,
    ])
    expect(row?.token_hash.equals(createHash('sha256').update(body.token).digest())).toBe(true)
  })

  it('is encrypted in the stored response', async () => {
    const caller = await testApi.newOrganization()
    const { body } = await caller.post<tokens.NewToken>('tokens/', fields, keyed)
    const [saved] = await superuser.query<{ answer: Buffer }>(
      'select answer from idempotency_keys where organization_id = $1',
      [caller.organizationId],
    )
    const stored = saved?.answer.toString('latin1') ?? ''
    expect(stored.length).toBeGreaterThan(JSON.stringify(body).length)
    for (const part of ['Deploy', 'rlk_', body.id, 'scopes']) expect(stored).not.toContain(part)
  })

  it('is encrypted differently in equal stored responses', async () => {
    const callers = [await testApi.newOrganization(), await testApi.newOrganization()]
    for (const caller of callers) await caller.post('tokens/', fields, keyed)
    const rows = await superuser.query<{ start: string }>(
      `select encode(substring(answer from 1 for 12), 'hex') as start from idempotency_keys
       where organization_id = any($1)`,
      [callers.map(({ organizationId }) => organizationId)],
    )
    expect(new Set(rows.map(({ start }) => start)).size).toBe(2)
  })

  it('is returned again for the same Idempotency-Key and API token', async () => {
    const caller = await testApi.newOrganization()
    const first = await caller.post<tokens.NewToken>('tokens/', fields, keyed)
    const second = await caller.post<tokens.NewToken>('tokens/', fields, keyed)
    expect(second.status).toBe(201)
    expect(second.text).toBe(first.text)
    expect(second.headers['idempotency-replayed']).toBe('true')
    const { body } = await caller.get<Page<tokens.Token>>('tokens/')
    expect(body.count).toBe(2)
  })

  it('is returned again for a repeated rotation request, which rotates only once', async () => {
    const caller = await testApi.newOrganization()
    const { id } = (await caller.post<tokens.NewToken>('tokens/', fields)).body
    const first = await caller.post(`tokens/${id}/rotate/`, {}, keyed)
    const second = await caller.post(`tokens/${id}/rotate/`, {}, keyed)
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.text).toBe(first.text)
    expect((await caller.get<Page<tokens.Token>>('tokens/')).body.count).toBe(3)
  })

  it('409: is not returned to another token with the same Idempotency-Key, whatever its scopes', async () => {
    const caller = await testApi.newOrganization()
    const { token } = (await caller.post<tokens.NewToken>('tokens/', fields)).body
    const first = await caller.post<tokens.NewToken>('tokens/', fields, keyed)
    const response = await caller.withToken(token).post('tokens/', fields, keyed)
    expect(response).toMatchObject({ status: 409, body: { code: 'idempotency_key_reused' } })
    expect(response.text).not.toContain(secretOf(first.body.token))
    expect(response.body.detail).toContain('was used with another token or session.')
    expect((await caller.post('tokens/', fields, keyed)).text).toBe(first.text)
  })

  it('is in no response except that of its creation', async () => {
    const caller = await testApi.newOrganization()
    const { body } = await caller.post<tokens.NewToken>('tokens/', fields)
    const responses = [
      await caller.get('tokens/'),
      await caller.get(`tokens/${body.id}/`),
      await caller.withToken(body.token).get('tokens/current/'),
      await caller.withToken(`${body.token}x`).get('tokens/current/'),
      await caller.post('tokens/', { name: body.token, scopes: [] }),
    ]
    for (const { text } of responses) expect(text).not.toContain(secretOf(body.token))
  })
})
