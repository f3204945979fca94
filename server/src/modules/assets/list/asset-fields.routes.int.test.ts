import { assetLists, type assets as contract, type Problem } from '@reelkeep/contract'
import { openSession, Superuser, stackEnv, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open(stackEnv()))

/** The fields of a table of assets with covers left out. */
const TABLE = 'id,title,bytes,parent_id,tags,created_at,updated_at,video.status,video.progress,video.duration'
const TABLE_PAGE_BYTES_MAX = 40_000
const ASSETS = 100

const caller = await testApi.newOrganization()
for (let number = 0; number < ASSETS; number++) {
  const title = `Lecture ${number}: an introduction to the physics of light`
  await openSession(caller, { title, tags: ['Physics', 'Summer term'], external_id: `course-17/lecture-${number}` })
}
await completeAll(caller.organizationId)

/** Gives all assets what a complete video has: renditions, images, a storyboard and subtitles. */
async function completeAll(organizationId: string): Promise<void> {
  await superuser.query(
    `update assets set status = 'Completed', bytes = 734003200, source_key = 'x', duration_seconds = 2712.533333,
       width = 1920, height = 1080, playable_at = now(),
       cover_key = organization_id || '/' || id || '/video-pictures-3/cover.jpg',
       storyboard_key = organization_id || '/' || id || '/video-pictures-3/storyboard.vtt',
       thumbnail_keys = array(select organization_id || '/' || id || '/video-pictures-3/thumbnail-' || one || '.jpg'
         from generate_series(1, 5) as one)
     where organization_id = $1`,
    [organizationId],
  )
  await superuser.query(
    `insert into renditions (organization_id, asset_id, name, width, height, bitrate_max, segments_total, segments_done,
       bytes, codecs)
     select organization_id, id, size || 'p', size * 16 / 9, size, size * 4000, 450, 450, 200000000, 'avc1'
     from assets, unnest(array[360, 540, 720, 1080]) as size where organization_id = $1`,
    [organizationId],
  )
  await superuser.query(
    `insert into subtitle_tracks (organization_id, asset_id, id, language, label, origin, storage_key)
     select organization_id, id, gen_random_uuid(), 'en', 'English', 'uploaded',
       organization_id || '/' || id || '/subtitles/' || id || '.vtt'
     from assets where organization_id = $1`,
    [organizationId],
  )
}

type Slim = { results: assetLists.ListedAsset[] }

describe('GET assets/ with fields', () => {
  it('200: returns only the fields, whole or part of the video', async () => {
    const first = async (fields: string) => (await caller.get<Slim>(`assets/?limit=1&fields=${fields}`)).body.results[0]
    const [whole] = (await caller.get<{ results: contract.Asset[] }>('assets/?limit=1')).body.results
    const { id, title, video } = whole ?? expect.fail('no asset')
    expect(await first('title')).toEqual({ title })
    expect(await first('video.status,id')).toEqual({ id, video: { status: 'Completed' } })
    expect(await first('video')).toEqual({ video })
    expect(await first('video.status,video')).toEqual({ video })
    expect(await first(assetLists.assetFields.join(','))).toEqual(whole)
  })

  it.each(['Completed', 'Processing'])('200: each field has its value without the others (%s)', async (status) => {
    const other = await testApi.newOrganization()
    await openSession(other, { title: 'Lecture', tags: ['Physics'], external_id: 'one', metadata: { term: 'summer' } })
    await completeAll(other.organizationId)
    await superuser.query(`update renditions set segments_done = 100 where organization_id = $1 and width > 1000`, [
      other.organizationId,
    ])
    await superuser.query('update assets set status = $2 where organization_id = $1', [other.organizationId, status])
    const [whole] = (await other.get<{ results: contract.Asset[] }>('assets/')).body.results
    const { video, ...fields } = whole ?? expect.fail('no asset')
    expect(video.progress).toBe(status === 'Completed' ? 100 : 37)
    for (const query of ['', '&q=Lecture', '&folder=root&order=title']) {
      const read = async (name: string) => (await other.get<Slim>(`assets/?fields=${name}${query}`)).body.results
      for (const [name, value] of Object.entries(fields)) expect(await read(name)).toEqual([{ [name]: value }])
      for (const [name, value] of Object.entries(video)) {
        expect(await read(`video.${name}`), name).toEqual([{ video: { [name]: value } }])
      }
    }
  })

  it('200: the URLs of other pages keep the fields', async () => {
    const { body } = await caller.get<Slim & { next: string }>('assets/?limit=1&fields=id,title')
    expect(Object.keys((await caller.get<Slim>(body.next)).body.results[0] ?? {})).toEqual(['id', 'title'])
  })

  it.each(['', 'size', 'id,', 'id,,title', 'video.', 'video.size', 'id title'])('400: rejects %j', async (fields) => {
    const { status, body } = await caller.get<Problem>(`assets/?fields=${encodeURIComponent(fields)}`)
    expect([status, body.errors[0]?.field]).toEqual([400, 'fields'])
  })

  it('200: a page of 100 assets with the fields of a table has at most 40 kB', async () => {
    expect(await bytesOf(`&fields=${TABLE}`)).toBeLessThanOrEqual(TABLE_PAGE_BYTES_MAX)
  })
})

describe('GET assets/ without fields', () => {
  it.each([
    ['uncompressed', 'identity', 320_000],
    ['with gzip', 'gzip', 22_000],
    ['with brotli', 'br', 20_000],
  ])('200: a page of 100 complete videos has a bounded size %s', async (_, encoding, bytesMax) => {
    const bytes = await bytesOf('', encoding)
    process.stdout.write(`A page of ${ASSETS} assets has ${bytes} bytes (${encoding}).\n`)
    expect(bytes).toBeLessThanOrEqual(bytesMax)
  })
})

/** The size of the body of a page. */
async function bytesOf(query: string, encoding = 'identity'): Promise<number> {
  const { status, headers } = await testApi.send({
    method: 'GET',
    path: `/api/v1/${caller.organizationId}/assets/?limit=${ASSETS}${query}`,
    headers: { authorization: `token ${caller.token}`, 'accept-encoding': encoding },
    body: undefined,
  })
  expect([status, headers['content-encoding'] ?? 'identity']).toEqual([200, encoding])
  return Number(headers['content-length'])
}
