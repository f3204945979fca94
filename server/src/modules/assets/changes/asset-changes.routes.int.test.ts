/** Fields of an asset that clients set: at the creation of its upload session, and by PATCH. */
import type { assets as contract, events, Page, Problem } from '@reelkeep/contract'
import { type Caller, openSession, TestApi, uploadAsset } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'

type Asset = contract.Asset

const testApi = await opened(TestApi.open())
let caller: Caller
beforeEach(async () => {
  caller = await testApi.newOrganization()
})

const create = async (more: object = {}) => (await openSession(caller, more)).asset
const update = (asset: Asset, change: object) => caller.patch<Asset & Problem>(`assets/${asset.id}/`, change)
const timelineOf = async (asset: Asset) =>
  (await caller.get<contract.Timeline>(`assets/${asset.id}/timeline/`)).body.entries.slice(1)
const eventsAbout = async (asset: Asset) =>
  (await caller.get<{ results: events.Event[] }>(`events/?asset_id=${asset.id}`)).body.results

const fields = {
  description: 'First line.\nSecond line with 日本語 and 🎬.',
  tags: ['physics', 'Summer term'],
  external_id: 'course-17/lecture-1',
  metadata: { course: '17', __proto__x: 'y' },
}

describe('the fields of a new asset', () => {
  it('are empty unless given, and name the session and the token that created it', async () => {
    const { asset, upload_session } = await openSession(caller)
    const { body: token } = await caller.get<{ id: string; name: string }>('tokens/current/')
    expect(asset).toMatchObject({
      ...{ description: '', tags: [], external_id: null, metadata: {} },
      upload_session_uuid: upload_session.uuid,
      created_by: { kind: 'token', id: token.id, name: token.name },
    })
    expect((await caller.get<Asset>(`assets/${asset.id}/`)).body).toEqual(asset)
  })

  it('are those of the upload session', async () => {
    const asset = await create(fields)
    expect(asset).toMatchObject(fields)
    const { body: page } = await caller.get<Page<Asset>>('assets/')
    expect(page.results).toEqual([asset])
  })

  it.each([
    ['description', 'x'.repeat(5001)],
    ['description', 'a\u0000b'],
    ['tags', Array.from({ length: 51 }, (_, index) => `tag ${index}`)],
    ['tags[0]', ['x'.repeat(65)]],
    ['tags[0]', ['']],
    ['tags[0]', ['two\nlines']],
    ['external_id', 'x'.repeat(256)],
    ['external_id', ''],
    ['external_id', '\ud800'],
    ['metadata', Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`key ${index}`, '']))],
    ['metadata', { ['k'.repeat(41)]: '' }],
    ['metadata', { '': 'x' }],
    ['metadata', { '\ud800': 'x' }],
    ['metadata.key', { key: 'x'.repeat(501) }],
    ['metadata.key', { key: 7 }],
    ['metadata.key', { key: '\u0000' }],
  ])('400: rejects an invalid %s', async (field, value) => {
    const name = field.replace(/[[.].*/, '')
    const { status, body } = await caller.post<Problem>('assets/upload-sessions/', {
      ...{ title: 'x', resolutions: ['240p'] },
      [name]: value,
    })
    expect([status, body.code, body.errors[0]?.field]).toEqual([400, 'invalid_request', field])
    expect(body.errors[0]?.detail).not.toContain('undefined')
  })
})

describe('PATCH assets/<id>/', () => {
  it('200: changes any subset and keeps the rest, in one event and one timeline entry', async () => {
    const before = await create({ ...fields, title: 'Lecture' })
    const change = { description: '', tags: ['new'], metadata: { course: null, room: '4' } }
    const { status, body } = await update(before, change)
    expect(status).toBe(200)
    const { updated_at } = body
    expect(body).toEqual({ ...before, ...change, metadata: { __proto__x: 'y', room: '4' }, updated_at })
    expect(await timelineOf(before)).toMatchObject([
      { what: 'updated', detail: 'Changed: description, tags, metadata.' },
    ])
    const updates = (await eventsAbout(before)).filter(({ type }) => type === 'asset.updated')
    expect(updates).toMatchObject([{ data: { external_id: fields.external_id, metadata: { room: '4' } } }])
  })

  it('200: renames, moves and sets everything at once', async () => {
    const { body: folder } = await caller.post<{ uuid: string }>('assets/folders/', { title: 'Talks' })
    const asset = await create({ title: 'Lecture' })
    const { body } = await update(asset, {
      ...fields,
      title: 'Talk',
      folder: folder.uuid,
      content_protection_type: 'aes',
    })
    expect(body).toMatchObject({ ...fields, title: 'Talk', parent_id: folder.uuid })
    expect(body.video.content_protection_type).toBe('aes')
    expect((await timelineOf(asset)).map(({ what }) => what)).toEqual(['renamed', 'moved', 'updated'])
    expect((await update(asset, { folder: null, external_id: null })).body).toMatchObject({
      ...{ parent_id: null, external_id: null },
    })
  })

  it('200: a change to the current values has no effect and no event', async () => {
    const asset = await create(fields)
    const { body } = await update(asset, { ...fields, title: asset.title, folder: null })
    expect(body).toEqual(asset)
    expect(await timelineOf(asset)).toEqual([])
  })

  it('400: rejects an empty change, an unknown field and too many keys together', async () => {
    const asset = await create({ metadata: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, ''])) })
    expect((await update(asset, {})).status).toBe(400)
    expect((await update(asset, { tag: 'x' })).body.code).toBe('unknown_field')
    const { status, body } = await update(asset, { metadata: { k0: 'x', one: 'more' } })
    expect([status, body.errors[0]?.field]).toEqual([400, 'metadata'])
    expect((await caller.get<Asset>(`assets/${asset.id}/`)).body).toEqual(asset)
  })

  it('409: the content protection cannot be changed after the upload, but may be repeated', async () => {
    const { asset } = await uploadAsset(caller)
    expect((await update(asset, { content_protection_type: 'aes' })).body.code).toBe('protection_fixed')
    expect((await update(asset, { content_protection_type: 'disable' })).status).toBe(200)
  })

  it('200: concurrent changes of different metadata keys are all kept', async () => {
    const asset = await create()
    const keys = Array.from({ length: 10 }, (_, index) => `key ${index}`)
    await Promise.all(keys.map((key) => update(asset, { metadata: { [key]: 'x' } })))
    const { body } = await caller.get<Asset>(`assets/${asset.id}/`)
    expect(Object.keys(body.metadata).sort()).toEqual(keys)
  })
})

describe('the ETag of an asset', () => {
  const conditional = (asset: Asset, change: object, tag: unknown) =>
    caller.patch<Asset & Problem>(`assets/${asset.id}/`, change, { 'If-Match': String(tag) })

  it('allows a change only if no other client has changed a field since', async () => {
    const { asset } = await uploadAsset(caller)
    const path = `assets/${asset.id}/`
    const first = (await caller.get(path)).headers['etag']
    const changed = await conditional(asset, { title: 'One' }, first)
    expect([changed.status, changed.headers['etag']]).toEqual([200, expect.not.stringMatching(String(first))])
    const refused = await conditional(asset, { title: 'Two' }, first)
    expect([refused.status, refused.body.code]).toEqual([412, 'changed_meanwhile'])
    expect((await caller.get<Asset>(path)).body.title).toBe('One')
    expect((await conditional(asset, { title: 'Two' }, changed.headers['etag'])).status).toBe(200)
    expect((await conditional(asset, { title: 'Three' }, '*')).status).toBe(200)
  })

  it('does not change with the processing of the video', async () => {
    const { asset } = await openSession(caller)
    const before = (await caller.get(`assets/${asset.id}/`)).headers['etag']
    await caller.delete(`assets/upload-sessions/${asset.upload_session_uuid}/`)
    const { body, headers } = await caller.get<Asset>(`assets/${asset.id}/`)
    expect([body.video.status, headers['etag']]).toEqual(['Cancelled', before])
  })
})

describe('external_id', () => {
  const session = (externalId: string, by = caller) =>
    by.post<{ asset: Asset } & Problem>('assets/upload-sessions/', {
      ...{ title: 'x', resolutions: ['240p'], external_id: externalId },
    })

  it('409: is unique, and the error names the other asset', async () => {
    const first = await create({ external_id: 'one' })
    const other = await create()
    for (const { status, body } of [await session('one'), await update(other, { external_id: 'one' })]) {
      expect([status, body.code, body.errors[0]?.field]).toEqual([409, 'external_id_taken', 'external_id'])
      expect(body.detail).toContain(first.id)
    }
    expect((await caller.get<Page<Asset>>('assets/')).body.count).toBe(2)
    expect((await session('One')).status).toBe(201)
  })

  it('can be used again after it was removed or its asset was purged, and by another organization', async () => {
    const first = await create({ external_id: 'one' })
    expect((await session('one', await testApi.newOrganization())).status).toBe(201)
    await update(first, { external_id: null })
    const second = (await session('one')).body.asset
    await caller.delete(`assets/${second.id}/?permanently=true`)
    expect((await session('one')).status).toBe(201)
  })

  it('goes to exactly one of several concurrent requests', async () => {
    const assets = await Promise.all(Array.from({ length: 5 }, () => create()))
    const responses = await Promise.all([
      ...Array.from({ length: 5 }, () => session('race')),
      ...assets.map((asset) => update(asset, { external_id: 'race' })),
    ])
    expect(responses.filter(({ status }) => status < 300)).toHaveLength(1)
    expect(responses.filter(({ body }) => body.code === 'external_id_taken')).toHaveLength(9)
  })
})

it('every event about an asset has its external_id and metadata', async () => {
  const { asset } = await uploadAsset(caller, { external_id: 'one', metadata: { course: '17' } })
  await caller.delete(`assets/${asset.id}/`)
  const all = await eventsAbout(asset)
  expect(all.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['upload_session.created', 'asset.created', 'upload_session.completed', 'asset.deleted']),
  )
  for (const { data } of all) expect(data).toMatchObject({ external_id: 'one', metadata: { course: '17' } })
})
