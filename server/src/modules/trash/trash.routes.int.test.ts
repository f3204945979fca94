import type { assets, Page, Problem, trash } from '@reelkeep/contract'
import { type Caller, openSession, postForm, Superuser, TestApi, uploadAsset } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'

const FOLDERS = 'assets/folders/'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())
let caller: Caller
beforeEach(async () => {
  caller = await testApi.newOrganization()
})

type TrashPage = Page<trash.TrashItem>

async function newFolder(title: string, parent: string | null = null): Promise<string> {
  return (await caller.post<{ uuid: string }>(FOLDERS, { title, parent })).body.uuid
}
const newAsset = async (folder: string | null = null) => (await openSession(caller, { folder })).asset.id
const read = (asset: string) => caller.get<assets.Asset>(`assets/${asset}/`)
const statusOf = async (asset: string) => (await read(asset)).status
const count = async (filter = '') => (await caller.get<{ count: number }>(`assets/?${filter}`)).body.count
const folderCount = async () => (await caller.get<{ count: number }>(FOLDERS)).body.count
const listTrash = async (query = '') => (await caller.get<TrashPage>(`trash/?${query}`)).body
const trashed = async () =>
  (await listTrash()).results.map(({ asset, folder }) => (asset ? asset.id : (folder?.uuid ?? '')))
const deleteFolder = (folder: string, options = '') =>
  caller.delete<Problem>(`${FOLDERS}${folder}/?recursive=true${options}`)
const restoreFolder = (folder: string) => caller.post<{ parent: string | null }>(`${FOLDERS}${folder}/restore/`, {})
const restore = (asset: string) => caller.post<assets.Asset>(`assets/${asset}/restore/`, {})

const rowsOf = (asset: string) =>
  superuser.query('select from assets where organization_id = $1 and id = $2', [caller.organizationId, asset])

const deletionJobs = () =>
  superuser.query(`select from dbos.workflow_status where queue_partition_key = $1 and name = 'free-assets'`, [
    caller.organizationId,
  ])

describe('an asset in the trash', () => {
  it('is found by no request, and not counted', async () => {
    const { asset, upload_session } = await uploadAsset(caller, { tags: ['a'], external_id: 'one' })
    await caller.post(`assets/${asset.id}/chapters/`, { title: 'Intro', start_time: '00:00:00' })
    expect((await caller.delete(`assets/${asset.id}/`)).status).toBe(204)
    const paths = ['', 'timeline/', 'plan/', 'chapters/', 'subtitles/'].map((path) => `assets/${asset.id}/${path}`)
    for (const path of [...paths, `assets/upload-sessions/${upload_session.uuid}/`]) {
      expect([path, (await caller.get(path)).status]).toEqual([path, 404])
    }
    const changes = [
      caller.patch(`assets/${asset.id}/`, { title: 'x' }),
      caller.delete(`assets/${asset.id}/`),
      caller.post(`assets/${asset.id}/move/`, { folder: null }),
      caller.post(`assets/${asset.id}/access-tokens/`, {}),
      caller.post(`assets/upload-sessions/${upload_session.uuid}/complete/`),
    ]
    expect((await Promise.all(changes)).map(({ status }) => status)).toEqual(changes.map(() => 404))
    for (const filter of ['', 'tag=a', 'external_id=one', `id=${asset.id}`, 'folder=root', `q=${asset.title}`]) {
      expect([filter, await count(filter)]).toEqual([filter, 0])
    }
    expect((await caller.get<{ count: number }>('assets/upload-sessions/')).body.count).toBe(0)
    expect(await deletionJobs()).toEqual([])
  })

  it('is restored with every field, and found again', async () => {
    const folder = await newFolder('folder')
    const { asset } = await uploadAsset(caller, {
      folder,
      tags: ['Über', 'a'],
      external_id: 'one',
      metadata: { a: 'b' },
    })
    const before = (await read(asset.id)).body
    await caller.delete(`assets/${asset.id}/`)
    const { status, body } = await restore(asset.id)
    expect([status, withoutTokens(body)]).toEqual([200, withoutTokens(before)])
    expect(withoutTokens((await read(asset.id)).body)).toEqual(withoutTokens(before))
    for (const filter of ['', 'tag=über&tag=A', 'external_id=one', `folder=${folder}`]) {
      expect([filter, await count(filter)]).toEqual([filter, 1])
    }
    expect((await restore(asset.id)).status).toBe(200)
    expect([await count(), await trashed()]).toEqual([1, []])
  })

  it('is restored to the root if its folder was deleted', async () => {
    const folder = await newFolder('folder')
    const asset = await newAsset(folder)
    await caller.delete(`assets/${asset}/`)
    await deleteFolder(folder)
    expect((await restore(asset)).body.parent_id).toBeNull()
    await caller.delete(`assets/${asset}/`)
    await deleteFolder(folder, '&permanently=true')
    expect((await restore(asset)).body.parent_id).toBeNull()
  })

  it('keeps its external id', async () => {
    const { asset } = await openSession(caller, { external_id: 'one' })
    await caller.delete(`assets/${asset.id}/`)
    const body = { title: 'x', resolutions: ['360p'], external_id: 'one' }
    const refused = await caller.post<Problem>('assets/upload-sessions/', body)
    expect([refused.status, refused.body.code]).toEqual([409, 'external_id_taken'])
    expect(refused.body.detail).toContain(asset.id)
  })

  it('is purged on request, with its files', async () => {
    const asset = await newAsset()
    await caller.delete(`assets/${asset}/`)
    expect((await caller.delete(`assets/${asset}/?permanently=true`)).status).toBe(204)
    expect([await rowsOf(asset), await trashed(), await count()]).toEqual([[], [], 0])
    expect(await deletionJobs()).toHaveLength(2)
    expect((await restore(asset)).status).toBe(404)
  })

  it('is uploaded and processed like any other asset', async () => {
    const session = await openSession(caller)
    await postForm(session)
    await caller.delete(`assets/${session.asset.id}/`)
    expect((await restore(session.asset.id)).status).toBe(200)
    const completed = await caller.post(`assets/upload-sessions/${session.upload_session.uuid}/complete/`)
    expect(completed.status).toBe(200)
  })
})

describe('GET trash/', () => {
  it('lists what was deleted by itself, the newest first, in pages', async () => {
    const outer = await newFolder('outer')
    const inner = await newFolder('inner', outer)
    const [first, inside] = [await newAsset(), await newAsset(inner)]
    await caller.delete(`assets/${first}/`)
    await deleteFolder(outer)
    const last = await newAsset()
    await caller.delete(`assets/${last}/`)
    const all = await listTrash()
    expect([all.count, all.results.map(({ type }) => type)]).toEqual([3, ['asset', 'folder', 'asset']])
    expect(await trashed()).toEqual([last, outer, first])
    expect(all.results[1]?.folder).toMatchObject({ title: 'outer', folder_count: 1, asset_count: 1 })
    const [item] = all.results
    expect(item?.asset?.deleted_at).toBe(item?.deleted_at)
    const days = (Date.parse(item?.purge_at ?? '') - Date.parse(item?.deleted_at ?? '')) / 86_400_000
    expect(days).toBe(30)
    const page = await listTrash('limit=2')
    expect(page.results).toHaveLength(2)
    const next = await caller.get<TrashPage>(page.next ?? '')
    expect([next.body.results[0]?.asset?.id, next.body.next]).toEqual([first, null])
    expect(await statusOf(inside)).toBe(404)
  })
})

describe('a folder in the trash', () => {
  it('is restored with everything that was deleted with it, and nothing else', async () => {
    const outer = await newFolder('outer')
    const inner = await newFolder('inner', outer)
    const [before, one, two] = [await newAsset(inner), await newAsset(outer), await newAsset(inner)]
    const emptied = await newFolder('emptied', outer)
    await caller.delete(`assets/${before}/`)
    await deleteFolder(emptied)
    await deleteFolder(outer)
    expect([await count(), await folderCount()]).toEqual([0, 0])
    expect((await caller.get(`${FOLDERS}${inner}/`)).status).toBe(404)
    expect((await caller.post<Problem>(`${FOLDERS}${inner}/restore/`, {})).status).toBe(404)
    expect((await restoreFolder(outer)).status).toBe(200)
    expect([await statusOf(one), await statusOf(two), await statusOf(before)]).toEqual([200, 200, 404])
    expect([await count(), await folderCount(), await trashed()]).toEqual([2, 2, [emptied, before]])
    expect((await restore(before)).body.parent_id).toBe(inner)
    expect((await restoreFolder(emptied)).body.parent).toBe(outer)
  })

  it('is restored to the root if its parent was deleted', async () => {
    const outer = await newFolder('outer')
    const inner = await newFolder('inner', outer)
    await deleteFolder(inner)
    await deleteFolder(outer)
    expect((await restoreFolder(inner)).body.parent).toBeNull()
    const root = await caller.get<{ count: number }>(`${FOLDERS}?parent=root`)
    expect(root.body.count).toBe(1)
  })

  it('is purged with everything that was deleted with it; what was deleted before stays in the trash', async () => {
    const outer = await newFolder('outer')
    const inner = await newFolder('inner', outer)
    const [before, inside] = [await newAsset(outer), await newAsset(outer)]
    await caller.delete(`assets/${before}/`)
    await deleteFolder(inner)
    await deleteFolder(outer)
    expect((await deleteFolder(outer, '&permanently=true')).status).toBe(204)
    expect([await rowsOf(inside), await trashed()]).toEqual([[], [inner, before]])
    expect((await restore(before)).body.parent_id).toBeNull()
    expect((await restoreFolder(inner)).body.parent).toBeNull()
  })

  it('gets no new asset: an asset that is created concurrently is deleted with it or refused', async () => {
    for (let round = 0; round < 15; round++) {
      const folder = await newFolder('folder')
      const body = { title: 'x', resolutions: ['360p'], folder }
      const [deleted, created] = await Promise.all([
        deleteFolder(folder),
        caller.post<{ asset: assets.Asset }>('assets/upload-sessions/', body),
      ])
      expect([deleted.status, [201, 400].includes(created.status)]).toEqual([204, true])
      expect(await count()).toBe(0)
    }
  })

  it('403: is restored only by a token with the scope assets:write if it contains assets', async () => {
    const folder = await newFolder('folder')
    await newAsset(folder)
    await deleteFolder(folder)
    const scopes = ['folders:write']
    const { body } = await caller.post<{ token: string }>('tokens/', { name: 'Folders only', scopes })
    const refused = await caller.withToken(body.token).post<Problem>(`${FOLDERS}${folder}/restore/`, {})
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope'])
  })
})

describe('a legal hold', () => {
  const hold = (path: string, legal_hold = true) => caller.patch(path, { legal_hold })
  const refusal = async (request: Promise<{ status: number; body: unknown }>) => {
    const { status, body } = await request
    return [status, (body as Problem).code]
  }
  const onHold = [409, 'legal_hold']

  it('409: refuses to delete the asset, alone or with its folder, until it is lifted', async () => {
    const folder = await newFolder('folder')
    const asset = await newAsset(folder)
    expect((await hold(`assets/${asset}/`)).body).toMatchObject({ legal_hold: true })
    for (const options of ['', '?permanently=true']) {
      expect(await refusal(caller.delete(`assets/${asset}/${options}`))).toEqual(onHold)
    }
    for (const options of ['', '&permanently=true'])
      expect(await refusal(deleteFolder(folder, options))).toEqual(onHold)
    expect([await statusOf(asset), await count(), await folderCount()]).toEqual([200, 1, 1])
    await hold(`assets/${asset}/`, false)
    expect((await caller.delete(`assets/${asset}/`)).status).toBe(204)
  })

  it('409: on a folder protects everything below it, and nothing can be moved out of it', async () => {
    const outer = await newFolder('outer')
    const inner = await newFolder('inner', outer)
    const [asset, before] = [await newAsset(inner), await newAsset(inner)]
    await caller.delete(`assets/${before}/`)
    await hold(`${FOLDERS}${outer}/`)
    expect(await refusal(caller.delete(`assets/${asset}/`))).toEqual(onHold)
    expect(await refusal(caller.delete(`assets/${before}/?permanently=true`))).toEqual(onHold)
    expect(await refusal(deleteFolder(inner))).toEqual(onHold)
    expect(await refusal(caller.post(`assets/${asset}/move/`, { folder: null }))).toEqual(onHold)
    expect(await refusal(caller.post(`${FOLDERS}${inner}/move/`, { parent: null }))).toEqual(onHold)
    expect((await caller.post(`assets/${asset}/move/`, { folder: outer })).status).toBe(200)
    expect((await restore(before)).body.parent_id).toBe(inner)
  })

  it('403: is set and lifted only with the scope holds:write', async () => {
    const [asset, folder] = [await newAsset(), await newFolder('folder')]
    const scopes = ['assets:write', 'folders:write', 'folders:read', 'assets:read']
    const { body } = await caller.post<{ token: string }>('tokens/', { name: 'Editor', scopes })
    const editor = caller.withToken(body.token)
    for (const path of [`assets/${asset}/`, `${FOLDERS}${folder}/`]) {
      expect((await editor.patch<Problem>(path, { legal_hold: true })).body.code).toBe('insufficient_scope')
      expect((await editor.patch(path, { title: 'new' })).status).toBe(200)
    }
  })
})

/** Playback URLs contain a token, which differs in each response. */
const withoutTokens = (asset: assets.Asset) =>
  JSON.parse(JSON.stringify(asset).replaceAll(/\/play\/[^/]+\//g, '/play/TOKEN/'))
