import type { Page } from '@reelkeep/contract'
import { type Caller, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'

const testApi = await opened(TestApi.open())
/** Another instance of the service on the same database. */
const other = await opened(TestApi.open())
const superuser = await opened(Superuser.open())

type Folder = { title: string; uuid: string }

const create = (caller: Caller, key: string, body: unknown = { title: 'Lectures' }) =>
  caller.post<Folder>('assets/folders/', body, { 'idempotency-key': key })

const rejectionOf = (caller: Caller, key: string, body?: unknown) =>
  create(caller, key, body) as unknown as ReturnType<typeof caller.post>

const countFolders = async (caller: Caller) => (await caller.get<Page<Folder>>('assets/folders/')).body.count

const keysOf = async ({ organizationId }: Caller) =>
  (
    await superuser.query<{ key: string }>('select key from idempotency_keys where organization_id = $1 order by key', [
      organizationId,
    ])
  ).map(({ key }) => key)

/** Number of database sessions that wait for a lock of the superuser. */
async function waitingForUs(): Promise<number> {
  const [row] = await superuser.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where pg_backend_pid() = any (pg_blocking_pids(pid))`,
  )
  return row?.count ?? 0
}

describe('a repeated idempotency key', () => {
  it('returns the stored 201 and creates nothing', async () => {
    const caller = await testApi.newOrganization()
    const first = await create(caller, 'a')
    const second = await create(caller, 'a')
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.text).toBe(first.text)
    expect(first.headers).not.toHaveProperty('idempotency-replayed')
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(await countFolders(caller)).toBe(1)
  })

  it('returns the stored 201 even if the resource has changed or been deleted since', async () => {
    const caller = await testApi.newOrganization()
    const first = await create(caller, 'a')
    await caller.delete(`assets/folders/${first.body.uuid}/`)
    expect((await create(caller, 'a')).text).toBe(first.text)
    expect(await countFolders(caller)).toBe(0)
  })

  it('returns the stored response also if only the trailing slash of the path differs', async () => {
    const caller = await testApi.newOrganization()
    const first = await create(caller, 'a')
    const second = await caller.post('assets/folders', { title: 'Lectures' }, { 'idempotency-key': 'a' })
    expect(second.text).toBe(first.text)
  })

  it('creates another resource in another organization', async () => {
    const [one, two] = [await testApi.newOrganization(), await testApi.newOrganization()]
    const first = await create(one, 'a')
    const second = await create(two, 'a')
    expect(second.body.uuid).not.toBe(first.body.uuid)
    expect(second.headers).not.toHaveProperty('idempotency-replayed')
  })

  it('returns 409 if the body differs', async () => {
    const caller = await testApi.newOrganization()
    await create(caller, 'a')
    const response = await rejectionOf(caller, 'a', { title: 'Talks' })
    expect(response).toMatchObject({ status: 409, body: { code: 'idempotency_key_reused' } })
    expect(await countFolders(caller)).toBe(1)
  })

  it('returns 409 if the operation differs', async () => {
    const caller = await testApi.newOrganization()
    await create(caller, 'a')
    const input = { name: 'Lectures', scopes: ['*'] }
    const response = await caller.post('tokens/', input, { 'idempotency-key': 'a' })
    expect(response).toMatchObject({ status: 409, body: { code: 'idempotency_key_reused' } })
  })

  it('returns 403 for a token that may not make the request', async () => {
    const caller = await testApi.newOrganization()
    await create(caller, 'a')
    const { body } = await caller.post<{ token: string }>('tokens/', {
      name: 'x',
      scopes: ['folders:read'],
    })
    expect((await create(caller.withToken(body.token), 'a')).status).toBe(403)
  })

  it('is ignored by operations that can be repeated anyway', async () => {
    const caller = await testApi.newOrganization()
    const { uuid } = (await create(caller, 'a')).body
    for (const title of ['Talks', 'Speeches']) {
      const path = `assets/folders/${uuid}/`
      const response = await caller.patch<Folder>(path, { title }, { 'idempotency-key': 'b' })
      expect(response.body.title).toBe(title)
    }
  })
})

describe('simultaneous requests with one idempotency key', () => {
  it('get 409 with Retry-After while the first request is running', async () => {
    const caller = await testApi.newOrganization()
    await superuser.query('begin')
    // Inserts the counter rows, for which the first request then waits until the rollback.
    await superuser.query(`insert into folder_counts select $1, slot, 0, 0 from generate_series(0, 15) as slot`, [
      caller.organizationId,
    ])
    const first = create(caller, 'a')
    await expect.poll(waitingForUs).toBe(1)
    const second = await rejectionOf(caller, 'a')
    expect(second).toMatchObject({ status: 409, body: { code: 'idempotency_key_in_use' } })
    expect(Number(second.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    await superuser.query('rollback')
    expect((await first).status).toBe(201)
    expect((await create(caller, 'a')).text).toBe((await first).text)
  })

  it('create one folder: ten requests on two instances get 409 or the same 201', async () => {
    for (let round = 0; round < 5; round++) {
      const here = await testApi.newOrganization()
      const there = (await other.newOrganization()).at(here.organizationId).withToken(here.token)
      const responses = await Promise.all(
        Array.from({ length: 10 }, (_, index) => create(index % 2 ? here : there, 'a')),
      )
      const created = responses.filter(({ status }) => status === 201)
      expect(new Set(created.map(({ text }) => text)).size).toBe(1)
      for (const { status, text } of responses) {
        if (status !== 201) expect(text).toContain('idempotency_key_in_use')
      }
      expect(await countFolders(here)).toBe(1)
    }
  })
})

describe('a failed request', () => {
  it('does not use up its idempotency key, which can be used for the corrected request', async () => {
    const caller = await testApi.newOrganization()
    const wrong = { title: 'Lectures', parent: '11111111111' }
    expect((await create(caller, 'a', wrong)).status).toBe(400)
    expect((await create(caller, 'a', { titel: 'Lectures' })).status).toBe(400)
    expect(await keysOf(caller)).toEqual([])
    expect((await create(caller, 'a')).status).toBe(201)
    expect(await keysOf(caller)).toEqual(['a'])
  })
})

describe('an idempotency key', () => {
  it.each([
    ['one character', 'a'],
    ['255 characters', 'k'.repeat(255)],
    ['punctuation', `!"#$%&'()*+,-./:;<=>?@[]^_{|}~`],
    ['blanks inside', 'order 66 of may'],
  ])('may have %s', async (_, key) => {
    const caller = await testApi.newOrganization()
    const first = await create(caller, key)
    expect(first.status).toBe(201)
    expect((await create(caller, key)).text).toBe(first.text)
    expect(await keysOf(caller)).toEqual([key])
  })

  it.each([
    ['no characters', ''],
    ['256 characters', 'k'.repeat(256)],
    ['a character beyond ASCII', 'clé'],
    ['a control character', 'a\tb'],
  ])('is rejected with 400 if it has %s', async (_, key) => {
    const caller = await testApi.newOrganization()
    const response = await rejectionOf(caller, key)
    expect(response).toMatchObject({ status: 400, body: { code: 'invalid_idempotency_key' } })
    expect(await countFolders(caller)).toBe(0)
  })
})
