/** Tests that blocked statements of one organization do not delay other organizations. */
import { type Caller, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'

/** A blocked statement waits longer than any test may take, so a request queued behind it would fail the test. */
const testApi = await opened(TestApi.open({ DATABASE_STATEMENT_TIMEOUT_SECONDS: '600' }))
const superuser = await opened(Superuser.open())
/** Lists blocked backends outside of a transaction, inside of which Postgres would not list later connections. */
const observer = await opened(Superuser.open())

const create = (caller: Caller) => caller.post<{ uuid: string }>('assets/folders/', { title: 'x' })

/** The Postgres backends that the given backend blocks. */
const blockedBy = async (pid: number) =>
  await observer.query<{ pid: number }>('select pid from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [pid])

it('requests that wait for a deletion in their own organization do not delay another organization', async () => {
  const [busy, other] = [await testApi.newOrganization(), await testApi.newOrganization()]
  const { uuid } = (await create(busy)).body
  const [own] = await superuser.query<{ pid: number }>('select pg_backend_pid() as pid')
  await superuser.query('begin')
  // The deletion waits for this row, and other changes to the same tree wait for the deletion.
  await superuser.query('select from folders where organization_id = $1 and uuid = $2 for update', [
    busy.organizationId,
    uuid,
  ])
  const deletion = busy.delete(`assets/folders/${uuid}/`)
  const waiting: ReturnType<typeof create>[] = []
  try {
    await expect.poll(() => blockedBy(own?.pid ?? 0)).toHaveLength(1)
    const [deleting] = await blockedBy(own?.pid ?? 0)
    waiting.push(...Array.from({ length: 30 }, () => create(busy)))
    await expect.poll(() => blockedBy(deleting?.pid ?? 0)).not.toEqual([])
    // The other organization sends concurrent requests with a token that is not cached.
    const responses = await Promise.all([
      other.get('tokens/current/'),
      other.get('assets/folders/'),
      create(other),
      other.get('assets/folders/?q=x'),
    ])
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 201, 200])
  } finally {
    await superuser.query('rollback')
  }
  expect((await deletion).status).toBe(204)
  for (const { status } of await Promise.all(waiting)) expect(status).toBe(201)
})
