import type { Problem } from '@reelkeep/contract'
import { type Caller, openSession, postForm, Superuser, TestApi, uploadAsset } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'

const FOLDERS = 'assets/folders/'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())
let caller: Caller
beforeEach(async () => {
  caller = await testApi.newOrganization()
  await superuser.query('update organizations set trash_days = 0 where id = $1', [caller.organizationId])
})

async function newFolder(title: string, parent: string | null = null): Promise<string> {
  return (await caller.post<{ uuid: string }>(FOLDERS, { title, parent })).body.uuid
}
const newAsset = async (folder: string | null = null) => (await openSession(caller, { folder })).asset.id
const count = async () => (await caller.get<{ count: number }>('assets/')).body.count
const statusOf = async (asset: string) => (await caller.get(`assets/${asset}/`)).status
const deleteFolder = (folder: string, by = caller) => by.delete<Problem>(`${FOLDERS}${folder}/?recursive=true`)

/** Enqueued jobs that delete objects in storage, and whether they run at once. */
const deletionJobs = () =>
  superuser.query<{ isDelayed: boolean }>(
    `select delay_until_epoch_ms is not null as "isDelayed" from dbos.workflow_status
     where queue_partition_key = $1 and name = 'free-assets' order by 1`,
    [caller.organizationId],
  )

const rowsLeft = async () => {
  const tables = ['assets', 'upload_sessions', 'asset_happenings']
  const rows = tables.map((table) => `select from ${table} where organization_id = $1`)
  return superuser.query(rows.join(' union all '), [caller.organizationId])
}

describe('DELETE assets/<id>/ in an organization without a trash', () => {
  it('204: deletes the asset with its session and its timeline', async () => {
    const { asset, upload_session } = await uploadAsset(caller)
    const { status, text } = await caller.delete(`assets/${asset.id}/`)
    expect([status, text]).toEqual([204, ''])
    expect(await statusOf(asset.id)).toBe(404)
    expect((await caller.get(`assets/upload-sessions/${upload_session.uuid}/`)).status).toBe(404)
    expect((await caller.delete(`assets/${asset.id}/`)).body.code).toBe('asset_not_found')
    expect([await count(), await rowsLeft()]).toEqual([0, []])
  })

  it('204: enqueues jobs that delete its objects at once and later; a failed deletion enqueues none', async () => {
    await caller.delete('assets/019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e/')
    expect(await deletionJobs()).toEqual([])
    await caller.delete(`assets/${await newAsset()}/`)
    expect(await deletionJobs()).toEqual([{ isDelayed: false }, { isDelayed: true }])
  })

  it('204 and 404: of two concurrent deletions, one succeeds', async () => {
    for (let round = 0; round < 5; round++) {
      const asset = await newAsset()
      const responses = await Promise.all([1, 2].map(() => caller.delete(`assets/${asset}/`)))
      expect(responses.map(({ status }) => status).sort()).toEqual([204, 404])
    }
    expect(await count()).toBe(0)
  })

  it('204: does not deadlock with an upload that is completed, cancelled or renewed concurrently', async () => {
    for (let round = 0; round < 12; round++) {
      const session = await openSession(caller)
      await postForm(session)
      const path = `assets/upload-sessions/${session.upload_session.uuid}/`
      const others = [
        () => caller.post(`${path}complete/`),
        () => caller.delete(path),
        () => caller.post(`${path}renew/`),
      ]
      const [deleted, ...responses] = await Promise.all([
        caller.delete(`assets/${session.asset.id}/`),
        ...others.map((other) => other()),
        caller.patch(`assets/${session.asset.id}/`, { title: 'x' }),
      ])
      expect(deleted?.status).toBe(204)
      for (const { status } of responses) expect([200, 204, 404, 409]).toContain(status)
    }
    expect([await count(), await rowsLeft()]).toEqual([0, []])
  })
})

describe('a folder with assets in it', () => {
  it('200: shows the number of its assets and what a deletion would remove', async () => {
    const outer = await newFolder('outer')
    const inner = await newFolder('inner', outer)
    await Promise.all([newAsset(outer), newAsset(outer), newAsset(inner), newAsset()])
    const details = await caller.get<{ asset_count: number }>(`${FOLDERS}${outer}/`)
    expect(details.body.asset_count).toBe(2)
    const preview = await caller.get(`${FOLDERS}${outer}/deletion/`)
    expect(preview.body).toEqual({ folder_count: 2, asset_count: 3, allowed: true })
  })

  it('409, then 204: is deleted only with recursive=true, with everything in its subfolders', async () => {
    const outer = await newFolder('outer')
    const inner = await newFolder('inner', outer)
    const [one, two, beside] = [await newAsset(outer), await newAsset(inner), await newAsset()]
    const plain = await caller.delete(`${FOLDERS}${inner}/`)
    expect([plain.status, plain.body.code]).toEqual([409, 'folder_not_empty'])
    expect(await count()).toBe(3)
    expect((await deleteFolder(outer)).status).toBe(204)
    expect([await statusOf(one), await statusOf(two), await statusOf(beside)]).toEqual([404, 404, 200])
    expect(await count()).toBe(1)
    expect(await deletionJobs()).toHaveLength(2)
  })

  it('403: cannot be deleted by a token without the scope assets:write', async () => {
    const folder = await newFolder('folder')
    const asset = await newAsset(folder)
    const { body } = await caller.post<{ token: string }>('tokens/', {
      name: 'Folders only',
      scopes: ['folders:write'],
    })
    const weak = caller.withToken(body.token)
    const rejected = await deleteFolder(folder, weak)
    expect([rejected.status, rejected.body.code]).toEqual([403, 'insufficient_scope'])
    await caller.delete(`assets/${asset}/`)
    expect((await deleteFolder(folder, weak)).status).toBe(204)
  })

  it('409: cannot be deleted with more than 1,000 assets', async () => {
    const folder = await newFolder('large')
    await superuser.query(
      `insert into assets (organization_id, id, folder_uuid, title, search_title, grams,
         resolutions, content_protection_type, generate_subtitle)
       select $1, gen_random_uuid(), $2, 'x', 'x', '{}', '{360p}', 'disable', false
       from generate_series(1, 1000)`,
      [caller.organizationId, folder],
    )
    const last = await newAsset(folder)
    const rejected = await deleteFolder(folder)
    expect([rejected.status, rejected.body.code]).toEqual([409, 'folder_too_large'])
    const preview = await caller.get(`${FOLDERS}${folder}/deletion/`)
    expect(preview.body).toEqual({ folder_count: 1, asset_count: 1001, allowed: false })
    await caller.delete(`assets/${last}/`)
    expect((await deleteFolder(folder)).status).toBe(204)
    expect(await rowsLeft()).toEqual([])
  })
})

describe('deleting a folder', () => {
  const rounds = 15

  it('either deletes or rejects an asset that is concurrently created in the folder', async () => {
    for (let round = 0; round < rounds; round++) {
      const folder = await newFolder('folder')
      const body = { title: 'x', resolutions: ['360p'], folder }
      const [deleted, ...created] = await Promise.all([
        deleteFolder(folder),
        caller.post('assets/upload-sessions/', body),
        caller.post('assets/upload-sessions/', body, { 'idempotency-key': `key ${round}` }),
      ])
      expect(deleted?.status).toBe(204)
      for (const { status } of created) expect([201, 400]).toContain(status)
    }
    expect([await count(), await rowsLeft()]).toEqual([0, []])
  })

  it('either deletes or keeps an asset that is concurrently moved into or out of the folder', async () => {
    for (let round = 0; round < rounds; round++) {
      const folder = await newFolder('folder')
      const [incoming, outgoing] = [await newAsset(), await newAsset(folder)]
      const move = (asset: string, to: string | null) => caller.post(`assets/${asset}/move/`, { folder: to })
      const [deleted, moved, saved] = await Promise.all([
        deleteFolder(folder),
        move(incoming, folder),
        move(outgoing, null),
      ])
      expect(deleted.status).toBe(204)
      // If the move was rejected, the asset is where it was; otherwise it was deleted with the folder.
      expect([
        [400, 200],
        [200, 404],
      ]).toContainEqual([moved.status, await statusOf(incoming)])
      expect([
        [200, 200],
        [404, 404],
      ]).toContainEqual([saved.status, await statusOf(outgoing)])
    }
    const { results } = (await caller.get<{ results: { parent_id: string | null }[] }>('assets/?limit=100')).body
    for (const { parent_id } of results) expect(parent_id).toBeNull()
    expect(await count()).toBe(results.length)
  })

  it('does not deadlock while an asset is moved within the folder', async () => {
    for (let round = 0; round < rounds; round++) {
      const outer = await newFolder('outer')
      const inner = await newFolder('inner', outer)
      const asset = await newAsset(outer)
      const [deleted, moved] = await Promise.all([
        deleteFolder(outer),
        caller.post(`assets/${asset}/move/`, { folder: inner }),
      ])
      expect(deleted.status).toBe(204)
      expect([200, 400, 404]).toContain(moved.status)
    }
    expect([await count(), await rowsLeft()]).toEqual([0, []])
  })

  it('without recursive=true fails, or makes the concurrent creation of an asset in the folder fail', async () => {
    for (let round = 0; round < rounds; round++) {
      const folder = await newFolder('folder')
      const [deleted, created] = await Promise.all([
        caller.delete(`${FOLDERS}${folder}/`),
        caller.post('assets/upload-sessions/', { title: 'x', resolutions: ['360p'], folder }),
      ])
      expect([
        [204, 400],
        [409, 201],
      ]).toContainEqual([deleted.status, created.status])
    }
  })
})
