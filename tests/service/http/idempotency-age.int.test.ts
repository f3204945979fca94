import { type Caller, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())

type Folder = { title: string; uuid: string }

const create = (caller: Caller, key: string, title = 'Lectures') =>
  caller.post<Folder>('assets/folders/', { title }, { 'idempotency-key': key })

/** Sets the age of every stored response of the organization. */
const age = ({ organizationId }: Caller, interval: string) =>
  superuser.query(`update idempotency_keys set created_at = now() - $2::interval where organization_id = $1`, [
    organizationId,
    interval,
  ])

const seedOldKeys = ({ organizationId }: Caller, count: number) =>
  superuser.query(
    `insert into idempotency_keys (organization_id, key, request_hash, answer, created_at)
     select $1, 'old ' || number, sha256(''), '', now() - interval '25 hours'
     from generate_series(1, $2) as number`,
    [organizationId, count],
  )

async function countKeys({ organizationId }: Caller): Promise<{ old: number; fresh: number }> {
  const [row] = await superuser.query<{ old: number; fresh: number }>(
    `select count(*) filter (where key like 'old %')::integer as old,
       count(*) filter (where key not like 'old %')::integer as fresh
     from idempotency_keys where organization_id = $1`,
    [organizationId],
  )
  return row ?? { old: -1, fresh: -1 }
}

describe('a stored response', () => {
  it('is kept for 24 hours', async () => {
    const caller = await testApi.newOrganization()
    const first = await create(caller, 'a')
    await age(caller, '23 hours 59 minutes')
    expect((await create(caller, 'a')).text).toBe(first.text)
    expect((await create(caller, 'a', 'Talks')).status).toBe(409)
  })

  it('is deleted after 24 hours, and its key can be used for another request', async () => {
    const caller = await testApi.newOrganization()
    const first = await create(caller, 'a')
    await age(caller, '24 hours 1 second')
    const second = await create(caller, 'a', 'Talks')
    expect(second.status).toBe(201)
    expect(second.body.uuid).not.toBe(first.body.uuid)
    expect((await create(caller, 'a', 'Talks')).text).toBe(second.text)
  })
})

describe('old idempotency keys', () => {
  it('are deleted in batches, one batch with each new key, until none is left', async () => {
    const caller = await testApi.newOrganization()
    await seedOldKeys(caller, 25)
    for (const key of ['a', 'b', 'c']) await create(caller, key)
    expect(await countKeys(caller)).toEqual({ old: 0, fresh: 3 })
  })

  it('are deleted before the same key is stored again', async () => {
    const caller = await testApi.newOrganization()
    await seedOldKeys(caller, 30)
    expect((await create(caller, 'old 30')).status).toBe(201)
    expect((await create(caller, 'old 30')).headers['idempotency-replayed']).toBe('true')
  })

  it('are not deleted by a request of another organization', async () => {
    const [one, two] = [await testApi.newOrganization(), await testApi.newOrganization()]
    await seedOldKeys(two, 5)
    await create(one, 'a')
    expect((await countKeys(two)).old).toBe(5)
  })
})
