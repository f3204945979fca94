import type { tokens } from '@reelkeep/contract'
import { type Caller, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'
import { LIVE_TOKENS_PER_ORGANIZATION_MAX as MAX } from './tokens.rules.ts'

const testApi = await opened(TestApi.open())
/** Another instance of the service on the same database. */
const other = await opened(TestApi.open())
const superuser = await opened(Superuser.open())

/** Creates an organization that can have `room` more tokens. The caller's own token counts too. */
async function organizationWithRoomFor(room: number): Promise<Caller> {
  const caller = await testApi.newOrganization()
  await superuser.query(
    `insert into tokens (organization_id, id, name, token_hash, scopes)
     select $1, gen_random_uuid(), 'Seed', sha256(number::text::bytea), '{*}'
     from generate_series(1, $2) as number`,
    [caller.organizationId, MAX - 1 - room],
  )
  return caller
}

const create = (caller: Caller) => caller.post('tokens/', { name: 'x', scopes: ['*'] })

async function countLive({ organizationId }: Caller): Promise<number> {
  const [row] = await superuser.query<{ count: number }>(
    `select count(*)::integer as count from tokens where organization_id = $1
     and revoked_at is null and (expires_at is null or expires_at > now())`,
    [organizationId],
  )
  return row?.count ?? 0
}

const statusesOf = (responses: { status: number }[]) => responses.map(({ status }) => status).sort((a, b) => a - b)

describe('the limit of live tokens', () => {
  it('409: rejects a token beyond the limit', async () => {
    const caller = await organizationWithRoomFor(1)
    expect((await create(caller)).status).toBe(201)
    const response = await create(caller)
    expect(response).toMatchObject({ status: 409, body: { code: 'token_limit_reached' } })
    expect(await countLive(caller)).toBe(MAX)
  })

  it('201 and 409: of two concurrent requests on two instances, one creates the last token', async () => {
    for (let round = 0; round < 5; round++) {
      const here = await organizationWithRoomFor(1)
      const there = (await other.newOrganization()).at(here.organizationId).withToken(here.token)
      const responses = await Promise.all([create(here), create(there)])
      expect(statusesOf(responses)).toEqual([201, 409])
      expect(await countLive(here)).toBe(MAX)
    }
  })

  it('201 and 409: of ten concurrent requests, three create the last three tokens', async () => {
    const caller = await organizationWithRoomFor(3)
    const responses = await Promise.all(Array.from({ length: 10 }, () => create(caller)))
    expect(statusesOf(responses)).toEqual([...Array(3).fill(201), ...Array(7).fill(409)])
    expect(await countLive(caller)).toBe(MAX)
  })

  it('201: revoked and expired tokens do not count', async () => {
    const caller = await organizationWithRoomFor(0)
    await superuser.query(
      `update tokens set revoked_at = now() where name = 'Seed' and organization_id = $1
       and id = (select id from tokens where name = 'Seed' and organization_id = $1 limit 1)`,
      [caller.organizationId],
    )
    expect((await create(caller)).status).toBe(201)
    expect((await create(caller)).status).toBe(409)
    await superuser.query(`update tokens set expires_at = now() where organization_id = $1 and name = 'Seed'`, [
      caller.organizationId,
    ])
    expect((await create(caller)).status).toBe(201)
  })

  it('409: rotation counts as a new token, and changes nothing at the limit', async () => {
    const caller = await organizationWithRoomFor(1)
    const { id } = (await caller.post<tokens.NewToken>('tokens/', { name: 'x', scopes: ['*'] })).body
    const response = await caller.post(`tokens/${id}/rotate/`, {})
    expect(response).toMatchObject({ status: 409, body: { code: 'token_limit_reached' } })
    expect((await caller.get<tokens.Token>(`tokens/${id}/`)).body.expires_at).toBeNull()
  })

  it('201: the limit of one organization does not affect another', async () => {
    await organizationWithRoomFor(0)
    expect((await create(await testApi.newOrganization())).status).toBe(201)
  })
})
