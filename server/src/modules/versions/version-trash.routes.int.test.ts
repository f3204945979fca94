/** Requests about versions of an asset that is moved to the trash at the same time. */
import type { Problem, versions } from '@reelkeep/contract'
import { type Caller, Superuser, TestApi, uploadAsset } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, expect, it } from 'vitest'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())

let caller: Caller
let id: string
beforeEach(async () => {
  caller = await testApi.newOrganization()
  id = (await uploadAsset(caller)).asset.id
  await superuser.query(`update assets set status = 'Completed' where id = $1`, [id])
})

/** Runs `send` while another transaction moves the asset to the trash: it waits for that transaction's lock. */
async function duringDeletion<Result>(send: () => Promise<Result>): Promise<Result> {
  await using deletion = await Superuser.open()
  const [{ pid } = {}] = await deletion.query<{ pid: number }>('select pg_backend_pid() as pid')
  await deletion.query('begin')
  await deletion.query(
    `update assets set is_listed = false, deleted_at = now(), purge_at = now() + interval '1 day' where id = $1`,
    [id],
  )
  const sent = send()
  const waiting = () => superuser.query('select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))', [pid])
  await expect.poll(waiting).toHaveLength(1)
  await deletion.query('commit')
  return sent
}

it('POST versions/ opens no session, which clients could see and use', async () => {
  const { status, body } = await duringDeletion(() => caller.post<Problem>(`assets/${id}/versions/`, {}))
  expect([status, body.code]).toEqual([404, 'asset_not_found'])
  const sessions = 'select from upload_sessions where organization_id = $1 and version_of is not null'
  expect(await superuser.query(sessions, [caller.organizationId])).toEqual([])
})

it('POST versions/<number>/activate/ does not show another version', async () => {
  const { body } = await caller.post<versions.NewVersion>(`assets/${id}/versions/`, {})
  expect(body.version.number).toBe(2)
  const response = await duringDeletion(() => caller.post<Problem>(`assets/${id}/versions/1/activate/`))
  expect([response.status, response.body.code]).toEqual([404, 'asset_not_found'])
})
