import type { assets as contract, Problem } from '@reelkeep/contract'
import { type ApiResponse, type Caller, openSession, TestApi, uploadAsset } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'

type Asset = contract.Asset
type Timeline = contract.Timeline
type Folder = { uuid: string; title: string }

const testApi = await opened(TestApi.open())
let caller: Caller
beforeEach(async () => {
  caller = await testApi.newOrganization()
})

const create = async (more: object = {}) => (await openSession(caller, more)).asset
const addressOf = ({ id }: { id: string }) => `assets/${id}/`
const read = (asset: Asset) => caller.get<Asset>(addressOf(asset))
const rename = (asset: Asset, title: string) => caller.patch<Asset>(addressOf(asset), { title })
const move = (asset: Asset, folder: string | null) =>
  caller.post<Asset & Problem>(`${addressOf(asset)}move/`, { folder })
const timeline = async (asset: Asset) => (await caller.get<Timeline>(`${addressOf(asset)}timeline/`)).body

async function newFolder(title = 'A folder', parent: string | null = null): Promise<Folder> {
  return (await caller.post<Folder>('assets/folders/', { title, parent })).body
}

describe('PATCH assets/<id>/', () => {
  it('200: changes the title and the search index and nothing else', async () => {
    const before = await create({ title: 'Lecture' })
    const { status, body } = await rename(before, ' Lesson ')
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, title: 'Lesson', updated_at: body.updated_at })
    expect(body.updated_at > before.updated_at).toBe(true)
    expect((await read(before)).body).toEqual(body)
    for (const [q, count] of [
      ['LESSON', 1],
      ['lecture', 0],
    ]) {
      expect((await caller.get<{ count: number }>(`assets/?q=${q}`)).body.count).toBe(count)
    }
  })

  it('200: concurrent renames are both in the timeline, one after the other', async () => {
    const asset = await create({ title: 'a' })
    const titles = ['b', 'c', 'd', 'e', 'f']
    const responses = await Promise.all(titles.map((title) => rename(asset, title)))
    expect(responses.map(({ status }) => status)).toEqual(titles.map(() => 200))
    const [, ...renamings] = (await timeline(asset)).entries
    expect(renamings).toHaveLength(titles.length)
    const last = (await read(asset)).body.title
    expect(renamings.at(-1)?.detail).toContain(`to "${last}"`)
  })
})

describe('POST assets/<id>/move/', () => {
  it('200: moves an asset into a folder, to its current folder, and back to the root', async () => {
    const folder = await newFolder()
    const asset = await create()
    expect((await move(asset, folder.uuid)).body.parent_id).toBe(folder.uuid)
    expect((await move(asset, folder.uuid)).body.parent_id).toBe(folder.uuid)
    expect((await move(asset, null)).body.parent_id).toBeNull()
    const moves = (await timeline(asset)).entries.slice(1)
    expect(moves.map(({ what }) => what)).toEqual(['moved', 'moved'])
  })

  it.each(['11111111111', 'nowhere', 'root'])('400: rejects the folder %s', async (folder) => {
    const { status, body } = await move(await create(), folder)
    expect([status, body.code]).toEqual([400, 'target_folder_not_found'])
    expect(body.errors[0]?.field).toBe('folder')
  })

  it("400: rejects another organization's folder", async () => {
    const asset = await create()
    const theirs = await (await testApi.newOrganization()).post<Folder>('assets/folders/', {
      title: 'Theirs',
    })
    expect((await move(asset, theirs.body.uuid)).body.code).toBe('target_folder_not_found')
    expect((await read(asset)).body).toEqual(asset)
  })
})

describe('GET assets/<id>/timeline/', () => {
  it('200: shows that a new asset is waiting for its file until the session closes', async () => {
    const { asset, upload_session } = await openSession(caller)
    const { entries, pending } = await timeline(asset)
    expect(entries).toEqual([{ at: asset.created_at, what: 'created', detail: expect.any(String) }])
    expect(pending).toMatchObject({ what: 'uploaded' })
    expect(String(pending?.until) > upload_session.expires_at).toBe(true)
  })

  it('200: shows that an uploaded asset is waiting for processing', async () => {
    const { asset } = await uploadAsset(caller)
    const { entries, pending } = await timeline(asset)
    expect(entries.map(({ what }) => what)).toEqual(['created', 'uploaded'])
    expect(pending).toMatchObject({ what: 'processing_started', until: expect.any(String) })
  })

  it('200: shows no next step for an asset whose session was cancelled', async () => {
    const { asset, upload_session } = await openSession(caller)
    await caller.delete(`assets/upload-sessions/${upload_session.uuid}/`)
    const { entries, pending } = await timeline(asset)
    expect(entries.at(-1)?.what).toBe('upload_cancelled')
    expect(pending).toBeNull()
  })
})

describe("another organization's asset", () => {
  const requests: Record<string, (path: string) => Promise<ApiResponse<Problem>>> = {
    read: (path) => caller.get(path),
    rename: (path) => caller.patch(path, { title: 'x' }),
    move: (path) => caller.post(`${path}move/`, { folder: null }),
    delete: (path) => caller.delete(path),
    timeline: (path) => caller.get(`${path}timeline/`),
  }

  it.each(Object.entries(requests))('404: is not found by a %s request', async (_, request) => {
    const foreigner = await testApi.newOrganization()
    const { asset } = await openSession(foreigner)
    const nobodys = await request('assets/019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e/')
    for (const path of [addressOf(asset), 'assets/no-asset/']) {
      const { status, body } = await request(path)
      expect([status, { ...body, request_id: '' }]).toEqual([404, { ...nobodys.body, request_id: '' }])
    }
    expect((await foreigner.get<Asset>(addressOf(asset))).body).toEqual(asset)
  })

  it('is not in any list of assets', async () => {
    await openSession(await testApi.newOrganization(), { title: 'Theirs' })
    for (const query of ['', '?q=theirs', '?folder=root', '?status=Not+Started']) {
      expect((await caller.get<{ count: number }>(`assets/${query}`)).body.count).toBe(0)
    }
  })
})
