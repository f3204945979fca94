/** Features of the API beyond the requirements, and rules that hold for every operation. */
import type {
  assets,
  events,
  folders,
  organization,
  Problem,
  trash,
  uploadSessions,
  usage as usageContract,
} from '@reelkeep/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { add, type Chapter, chaptersOfVideo } from './chapters.ts'
import { Deployment } from './deployment.ts'
import { FOLDERS } from './folders.ts'

type Asset = assets.Asset

let deployment: Deployment
beforeAll(async () => {
  deployment = await Deployment.openSwept()
})
afterAll(() => deployment[Symbol.asyncDispose]())

async function newAsset(fields: object = {}): Promise<Asset> {
  const input = { title: deployment.unique(), resolutions: ['240p'], ...fields }
  const { status, body } = await deployment.mine.post<uploadSessions.NewUploadSession>('assets/upload-sessions/', input)
  expect(status).toBe(201)
  return body.asset
}
const pathOf = ({ id }: Asset) => `assets/${id}/`
const read = (asset: Asset) => deployment.mine.get<Asset>(pathOf(asset))
const patch = (asset: Asset, change: object, headers = {}) =>
  deployment.mine.patch<Asset & Problem>(pathOf(asset), change, headers)

describe('the fields of the client', () => {
  it('are set with the upload session, changed by PATCH and contained in events', async () => {
    const external_id = deployment.unique()
    const fields = { description: 'Two\nlines', tags: ['b', 'A'], external_id, metadata: { course: '17', term: 'x' } }
    const asset = await newAsset(fields)
    expect(asset).toMatchObject({ ...fields, tags: ['A', 'b'], created_by: { kind: 'token' } })
    const { body } = await patch(asset, { tags: [], metadata: { term: null, room: '4' } })
    expect(body).toMatchObject({ description: 'Two\nlines', tags: [], metadata: { course: '17', room: '4' } })
    expect((await read(asset)).body).toEqual(body)
    const log = await deployment.mine.get<{ results: events.Event[] }>(`events/?asset_id=${asset.id}`)
    expect(log.body.results.at(-1)).toMatchObject({
      type: 'asset.updated',
      data: { external_id, metadata: { course: '17', room: '4' } },
    })
  })

  it('409: an external_id belongs to one asset or folder, and to each organization', async () => {
    const external_id = deployment.unique()
    const asset = await newAsset({ external_id })
    const { status, body } = await patch(await newAsset(), { external_id })
    expect([status, body.code]).toEqual([409, 'external_id_taken'])
    expect(body.detail).toContain(asset.id)
    const folder = { title: deployment.unique(), external_id }
    const first = await deployment.mine.post<folders.Folder>(FOLDERS, folder)
    expect([first.status, (await deployment.mine.post(FOLDERS, folder)).status]).toEqual([201, 409])
  })
})

describe('If-Match', () => {
  it('412: refuses to change an asset that has changed since it was read', async () => {
    const asset = await newAsset()
    const { headers } = await read(asset)
    const tag = { 'If-Match': String(headers['etag']) }
    expect((await patch(asset, { description: 'first' }, tag)).status).toBe(200)
    const { status, body } = await patch(asset, { description: 'second' }, tag)
    expect([status, body.code]).toEqual([412, 'changed_meanwhile'])
    expect((await read(asset)).body.description).toBe('first')
  })

  it('412: refuses to replace chapters that have changed since they were listed', async () => {
    const list = await chaptersOfVideo(deployment.mine, deployment.unique())
    const [begin, middle] = [
      { title: 'Begin', start_time: '00:00:00' },
      { title: 'Middle', start_time: '00:01:00' },
    ]
    await add(deployment.mine, list, begin)
    const { headers, body } = await deployment.mine.get<{ results: Chapter[] }>(list)
    const [chapter] = body.results
    expect((await deployment.mine.get(`${list}${chapter?.id}/`)).body).toEqual(chapter)
    await add(deployment.mine, list, middle)
    const tag = { 'If-Match': String(headers['etag']) }
    const refused = await deployment.mine.send<Problem>('PUT', list, { chapters: [begin] }, tag)
    expect([refused.status, refused.body.code]).toEqual([412, 'changed_meanwhile'])
  })
})

describe('the organization', () => {
  it('changes its settings, with If-Match, and new upload sessions use them', async () => {
    const { body: before, headers } = await deployment.mine.get<organization.Organization>('organization/')
    expect(before).toMatchObject({ id: deployment.mine.organizationId, trash_days: expect.any(Number) })
    const tag = { 'If-Match': String(headers['etag']) }
    const change = { default_content_protection_type: 'aes', trash_days: (before.trash_days + 1) % 366 }
    const changed = await deployment.mine.patch<organization.Organization>('organization/', change, tag)
    expect([changed.status, changed.body]).toEqual([200, { ...before, ...change }])
    const refused = await deployment.mine.patch<Problem>('organization/', { trash_days: 0 }, tag)
    expect([refused.status, refused.body.code]).toEqual([412, 'changed_meanwhile'])
    expect((await newAsset()).video.content_protection_type).toBe('aes')
    const { default_content_protection_type, trash_days } = before
    await deployment.mine.patch('organization/', { default_content_protection_type, trash_days })
    expect((await deployment.mine.get('organization/')).body).toEqual(before)
  })
})

describe('the usage', () => {
  it('counts the assets of today, and shows the quotas', async () => {
    const usage = async () => (await deployment.mine.get<usageContract.Usage>('usage/')).body
    const before = await usage()
    await newAsset()
    const after = await usage()
    expect(after.results).toHaveLength(30)
    expect(after.results.at(-1)?.assets).toBeGreaterThan(before.results.at(-1)?.assets ?? 0)
    expect(after.quotas).toMatchObject({ assets: { used: expect.any(Number) }, stored_bytes: {}, open_sessions: {} })
    const { status, body } = await deployment.mine.get<Problem>('usage/?from=2026-02-02&to=2026-02-01')
    expect([status, body.errors[0]?.field]).toEqual([400, 'from'])
  })
})

describe('the trash', () => {
  it('hides a deleted asset and restores it as it was', async () => {
    const asset = await newAsset({ tags: ['a'], metadata: { course: '17' } })
    const before = (await read(asset)).body
    expect((await deployment.mine.delete(pathOf(asset))).status).toBe(204)
    expect((await read(asset)).status).toBe(404)
    const { body } = await deployment.mine.get<{ results: trash.TrashItem[] }>('trash/')
    const item = body.results.find((each) => each.asset?.id === asset.id)
    expect(item).toMatchObject({ type: 'asset', asset: { title: asset.title, deleted_at: item?.deleted_at } })
    expect((await deployment.mine.post(`${pathOf(asset)}restore/`, {})).body).toEqual(before)
    expect((await read(asset)).body).toEqual(before)
  })

  it('purges an asset that is deleted permanently', async () => {
    const asset = await newAsset()
    await deployment.mine.delete(pathOf(asset))
    expect((await deployment.mine.delete(`${pathOf(asset)}?permanently=true`)).status).toBe(204)
    expect((await deployment.mine.post(`${pathOf(asset)}restore/`, {})).status).toBe(404)
  })

  it('restores a folder with everything that was deleted with it', async () => {
    const { body: folder } = await deployment.mine.post<folders.Folder>(FOLDERS, { title: deployment.unique() })
    const asset = await newAsset({ folder: folder.uuid })
    const path = `${FOLDERS}${folder.uuid}/`
    expect((await deployment.mine.delete(`${path}?recursive=true`)).status).toBe(204)
    expect((await read(asset)).status).toBe(404)
    expect((await deployment.mine.post(`${path}restore/`, {})).status).toBe(200)
    expect((await read(asset)).body.parent_id).toBe(folder.uuid)
  })

  it('409: a legal hold refuses deletion until it is lifted', async () => {
    const asset = await newAsset()
    expect((await patch(asset, { legal_hold: true })).body.legal_hold).toBe(true)
    const refused = await deployment.mine.delete<Problem>(`${pathOf(asset)}?permanently=true`)
    expect([refused.status, refused.body.code]).toEqual([409, 'legal_hold'])
    await patch(asset, { legal_hold: false })
    expect((await deployment.mine.delete(pathOf(asset))).status).toBe(204)
  })
})

describe('every operation', () => {
  it('405: lists the methods of a path, with HEAD where GET is supported', async () => {
    const { mine } = deployment
    const asset = await newAsset()
    for (const [method, path, allow] of [
      ['PUT', FOLDERS, 'POST, GET, HEAD'],
      ['HEAD', `${pathOf(asset)}move/`, 'POST'],
    ] as const) {
      const { status, headers } = await mine.send(method, path)
      expect([method, path, status, String(headers['allow']).split(', ').sort()]).toEqual([
        ...[method, path, 405],
        allow.split(', ').sort(),
      ])
    }
    expect((await mine.send('HEAD', pathOf(asset))).status).toBe(200)
  })

  it('400: refuses unknown fields, also without a body of its own', async () => {
    const asset = await newAsset()
    const renew = `assets/upload-sessions/${asset.upload_session_uuid}/renew/`
    const { status, body } = await deployment.mine.post<Problem>(renew, { expires_in: 5 })
    expect([status, body.code]).toEqual([400, 'unknown_field'])
    expect((await deployment.mine.post(renew, {})).status).toBe(200)
  })

  it('compresses long responses if the client accepts it', async () => {
    const asset = await newAsset({ description: 'x'.repeat(5000) })
    for (const encoding of ['br', 'gzip']) {
      const { headers } = await deployment.mine.get(pathOf(asset), { 'accept-encoding': encoding })
      expect(headers['content-encoding']).toBe(encoding)
    }
  })
})
