import { createHash } from 'node:crypto'
import type { Page, tokens } from '@reelkeep/contract'
import { Superuser, World } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'

const world = await opened(World.open())
const superuser = await opened(Superuser.open())

const wish = { name: 'Deploy', scopes: ['*'] }
const keyed = { 'idempotency-key': 'only-once' }

const secretOf = (token: string) => token.slice(token.lastIndexOf('_') + 1)

/** The text in every form in which it might be stored; a column of bytes shows as hexadecimal. */
function formsOf(text: string): string[] {
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
  it('is stored as a hash and in no other form, with an Idempotency-Key as well', async () => {
    const caller = await world.newOrganization()
    const { body } = await caller.post<tokens.NewToken>('tokens/', wish, keyed)
    const stored = await everyRowOf(caller.organizationId)
    for (const form of formsOf(secretOf(body.token))) expect(stored).not.toContain(form)
    const [row] = await superuser.query<{ token_hash: Buffer }>(
      'select token_hash from tokens where id = $1',
      [body.id],
    )
    expect(row?.token_hash.equals(createHash('sha256').update(body.token).digest())).toBe(true)
  })

  it('is sealed in the saved answer, of which nothing can be read', async () => {
    const caller = await world.newOrganization()
    const { body } = await caller.post<tokens.NewToken>('tokens/', wish, keyed)
    const [saved] = await superuser.query<{ answer: Buffer }>(
      'select answer from idempotency_keys where organization_id = $1',
      [caller.organizationId],
    )
    const answer = saved?.answer.toString('latin1') ?? ''
    expect(answer.length).toBeGreaterThan(JSON.stringify(body).length)
    for (const part of ['Deploy', 'rk_', body.id, 'scopes']) expect(answer).not.toContain(part)
  })

  it('seals equal answers differently', async () => {
    const callers = [await world.newOrganization(), await world.newOrganization()]
    for (const caller of callers) await caller.post('tokens/', wish, keyed)
    const rows = await superuser.query<{ start: string }>(
      `select encode(substring(answer from 1 for 12), 'hex') as start from idempotency_keys
       where organization_id = any($1)`,
      [callers.map(({ organizationId }) => organizationId)],
    )
    expect(new Set(rows.map(({ start }) => start)).size).toBe(2)
  })

  it('is answered again to the same key and token', async () => {
    const caller = await world.newOrganization()
    const first = await caller.post<tokens.NewToken>('tokens/', wish, keyed)
    const second = await caller.post<tokens.NewToken>('tokens/', wish, keyed)
    expect(second.status).toBe(201)
    expect(second.text).toBe(first.text)
    expect(second.headers['idempotency-replayed']).toBe('true')
    const { body } = await caller.get<Page<tokens.Token>>('tokens/')
    expect(body.count).toBe(2)
  })

  it('is answered again after a rotation too, and rotates once', async () => {
    const caller = await world.newOrganization()
    const { id } = (await caller.post<tokens.NewToken>('tokens/', wish)).body
    const first = await caller.post(`tokens/${id}/rotate/`, {}, keyed)
    const second = await caller.post(`tokens/${id}/rotate/`, {}, keyed)
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.text).toBe(first.text)
    expect((await caller.get<Page<tokens.Token>>('tokens/')).body.count).toBe(3)
  })

  it('409: is not answered to another token under the same key, whatever that one may do', async () => {
    const caller = await world.newOrganization()
    const { token } = (await caller.post<tokens.NewToken>('tokens/', wish)).body
    const first = await caller.post<tokens.NewToken>('tokens/', wish, keyed)
    const stranger = await caller.withToken(token).post('tokens/', wish, keyed)
    expect(stranger).toMatchObject({ status: 409, body: { code: 'idempotency_key_reused' } })
    expect(stranger.text).not.toContain(secretOf(first.body.token))
    expect((await caller.post('tokens/', wish, keyed)).text).toBe(first.text)
  })

  it('stands in no answer but the one that made it', async () => {
    const caller = await world.newOrganization()
    const { body } = await caller.post<tokens.NewToken>('tokens/', wish)
    const answers = [
      await caller.get('tokens/'),
      await caller.get(`tokens/${body.id}/`),
      await caller.withToken(body.token).get('tokens/current/'),
      await caller.withToken(`${body.token}x`).get('tokens/current/'),
      await caller.post('tokens/', { name: body.token, scopes: [] }),
    ]
    for (const { text } of answers) expect(text).not.toContain(secretOf(body.token))
  })
})
