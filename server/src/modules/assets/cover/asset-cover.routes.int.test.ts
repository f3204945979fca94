/** Covers that clients choose. Rendering a frame is tested with a worker. */
import type { assets, covers, events } from '@reelkeep/contract'
import { formOf, PlaybackFixture, postByFetch, Superuser } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'

const fixture = await opened(PlaybackFixture.open())
const superuser = await opened(Superuser.open())
const { publisher } = fixture

beforeEach(async () => {
  await fixture.begin()
  await publisher.showPictures(fixture.place, 'video-pictures-4', {
    ...{ cover: 'cover.jpg', thumbnails: ['thumbnail-1.jpg', 'thumbnail-2.jpg'], storyboard: 'storyboard.vtt' },
  })
})

const path = () => `assets/${fixture.place.assetId}/cover/`
const set = (body: object) => fixture.caller.send<covers.Cover & { code: string; detail: string }>('PUT', path(), body)
const read = async () => (await fixture.caller.get<covers.Cover>(path())).body
const ask = (url: string | null, headers = {}) =>
  fixture.testApi.send({ method: 'GET', path: new URL(String(url)).pathname, headers, body: undefined })
const readAsset = async () => (await fixture.caller.get<assets.Asset>(`assets/${fixture.place.assetId}/`)).body
const updates = async () => {
  const { body } = await fixture.caller.get<{ results: events.Event[] }>('events/?types=asset.updated')
  return body.results.length
}

/** Number of deletions of objects that the API has enqueued. */
async function countDeletions(): Promise<number> {
  const found = await superuser.query('select from dbos.workflow_status where workflow_uuid like $1', [
    `${fixture.place.organizationId}/free-cover/%`,
  ])
  return found.length
}

describe('PUT assets/<id>/cover/ with a thumbnail', () => {
  it('copies it, and shows it wherever the cover is shown', async () => {
    expect(await read()).toMatchObject({ status: 'ready', is_custom: false })
    const { status, body } = await set({ thumbnail: 2 })
    expect([status, body.status, body.is_custom]).toEqual([200, 'ready', true])
    expect(body.url).toMatch(/\/covers\/[0-9a-f-]{36}\.jpg$/)
    expect(await ask(body.url)).toMatchObject({ status: 200, text: 'thumbnail-2.jpg' })
    expect((await readAsset()).video.cover_thumbnail_url).toBe(body.url)
    const about = JSON.parse((await fixture.ask('about.json')).text)
    expect(about.poster).toBe(new URL(String(body.url)).pathname.split('/').slice(-2).join('/'))
    expect(await updates()).toBe(1)
  })

  it('replaces the cover before, which is no longer served', async () => {
    const first = (await set({ thumbnail: 1 })).body.url
    const second = (await set({ thumbnail: 2 })).body.url
    expect((await ask(first)).status).toBe(404)
    expect((await ask(second)).status).toBe(200)
  })

  it('409: refuses a thumbnail that does not exist', async () => {
    const { status, body } = await set({ thumbnail: 3 })
    expect([status, body.code]).toEqual([409, 'cover_not_available'])
    expect(body.detail).toContain('from 1 to 2')
  })
})

describe('PUT assets/<id>/cover/ with a frame', () => {
  beforeEach(async () => {
    await fixture.publishAll()
    await publisher.setLength(fixture.place, 12)
  })

  it('shows the current cover until the frame is rendered', async () => {
    const before = (await read()).url
    expect((await set({ at_seconds: 11.9 })).body).toEqual({ status: 'processing', is_custom: false, url: before })
    expect(await read()).toMatchObject({ status: 'processing' })
    expect(await updates()).toBe(0)
  })

  it.each([{}, { at_seconds: 1, thumbnail: 1 }, { upload_id: 'x' }, { at_seconds: -1 }, { thumbnail: 0 }])(
    '400: refuses %j',
    async (body) => {
      expect(await set(body)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    },
  )

  it('400: refuses a frame at the end of the video', async () => {
    expect(await set({ at_seconds: 12 })).toMatchObject({ status: 400, body: { code: 'cover_outside_video' } })
  })
})

describe('POST assets/<id>/cover/uploads/', () => {
  const create = async () => (await fixture.caller.post<covers.CoverUpload>(`${path()}uploads/`)).body

  it('returns a form for one image, which is processed when the cover is set', async () => {
    const upload = await create()
    expect(upload.max_bytes).toBe(10 * 2 ** 20)
    expect(upload.client_payload.key).toContain(`${fixture.place.assetId}/cover-uploads/${upload.id}`)
    expect(await set({ upload_id: upload.id })).toMatchObject({ status: 409, body: { code: 'upload_not_arrived' } })
    await postByFetch(formOf(upload.client_payload, Buffer.from('an image')))
    expect((await set({ upload_id: upload.id })).body).toMatchObject({ status: 'processing', is_custom: false })
    // The upload of one asset cannot be used for another one.
    await fixture.newVideo()
    expect((await set({ upload_id: upload.id })).status).toBe(409)
  })

  it('refuses an image that is too large', async () => {
    const { client_payload, max_bytes } = await create()
    expect((await postByFetch(formOf(client_payload, Buffer.alloc(max_bytes + 1)))).status).toBe(400)
  })
})

describe('DELETE assets/<id>/cover/', () => {
  it('returns to the generated cover, and is idempotent', async () => {
    const generated = await read()
    const custom = (await set({ thumbnail: 1 })).body.url
    for (let round = 0; round < 2; round++) expect((await fixture.caller.delete(path())).status).toBe(204)
    expect(await read()).toEqual(generated)
    expect((await ask(custom)).status).toBe(404)
    expect(await updates()).toBe(2)
  })

  it('cancels a request for a frame', async () => {
    await fixture.publishAll()
    await publisher.setLength(fixture.place, 12)
    await set({ at_seconds: 5 })
    await fixture.caller.delete(path())
    expect(await read()).toMatchObject({ status: 'ready', is_custom: false })
  })
})

describe('a cover', () => {
  it('is kept while the asset is in the trash, and not served', async () => {
    const { url } = (await set({ thumbnail: 1 })).body
    await fixture.caller.delete(`assets/${fixture.place.assetId}/`)
    expect((await ask(url)).status).toBe(404)
    await fixture.caller.post(`assets/${fixture.place.assetId}/restore/`)
    expect(await read()).toMatchObject({ is_custom: true, url })
    expect((await ask(url)).status).toBe(200)
  })

  it('is deleted from storage when it is replaced or removed', async () => {
    await set({ thumbnail: 1 })
    expect(await countDeletions()).toBe(0)
    await set({ thumbnail: 2 })
    await fixture.caller.delete(path())
    expect(await countDeletions()).toBe(2)
  })
})
