/** Further versions of a processed video. */
import type { assets, Problem, versions } from '@reelkeep/contract'
import { formOf, postByFetch } from '@reelkeep/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Deployment } from './deployment.ts'
import { type Opened, SESSIONS } from './uploads.ts'
import { assetBecomes, PROCESSED_MILLISECONDS_MAX, uploadFile, videoOf } from './videos.ts'

let deployment: Deployment
let video: Opened
beforeAll(async () => {
  deployment = await Deployment.openSwept()
  video = await uploadFile(deployment.mine, deployment.unique(), videoOf(10.5))
  await assetBecomes(deployment.mine, video, ({ status }) => status === 'Completed')
}, PROCESSED_MILLISECONDS_MAX)
afterAll(() => deployment[Symbol.asyncDispose]())

const path = (more = '') => `assets/${video.asset.id}/${more}`
const read = async () => (await deployment.mine.get<assets.Asset>(path())).body
const list = async () => (await deployment.mine.get<{ results: versions.Version[] }>(path('versions/'))).body.results
const playlist = async () => (await fetch((await read()).video.playback_url ?? '')).text()

/** Uploads a file as a new version. */
async function upload(file: Buffer): Promise<versions.NewVersion> {
  const { status, body } = await deployment.mine.post<versions.NewVersion>(path('versions/'), {})
  expect(status).toBe(201)
  await postByFetch(formOf(body.client_payload, file))
  expect((await deployment.mine.post(`${SESSIONS}${body.upload_session.uuid}/complete/`)).status).toBe(200)
  return body
}

const becomes = (isWanted: (all: versions.Version[]) => boolean) =>
  expect.poll(async () => isWanted(await list()), { timeout: PROCESSED_MILLISECONDS_MAX, interval: 200 }).toBe(true)

it(
  'a file that is not a video leaves the asset as it is, a new version replaces it when complete, and activate/ rolls back',
  async () => {
    const before = await read()
    expect(await list()).toMatchObject([{ number: 1, is_active: true, status: 'Completed', bytes: before.bytes }])

    await upload(Buffer.from('not a video, but long enough to be accepted'))
    await becomes(([newest]) => newest?.status === 'Error')
    expect(await read()).toEqual({ ...before, video: { ...before.video, ...(await urls()) } })

    const { upload_session, version } = await upload(videoOf(10.5))
    await becomes(([newest]) => newest?.is_active === true)
    const after = await read()
    expect(after).toMatchObject({
      ...{ id: before.id, version: version.number, upload_session_uuid: upload_session.uuid, title: before.title },
      video: { status: 'Completed', duration: before.video.duration },
    })
    expect(await playlist()).toContain(`v${version.number}/240p.m3u8`)

    const back = await deployment.mine.post<assets.Asset>(path('versions/1/activate/'))
    expect([back.status, back.body.version]).toEqual([200, 1])
    expect(await playlist()).toContain('\n240p.m3u8')
    const unknown = await deployment.mine.post<Problem>(path('versions/99/activate/'))
    expect([unknown.status, unknown.body.code]).toEqual([404, 'version_not_found'])
  },
  2 * PROCESSED_MILLISECONDS_MAX,
)

/** The URLs of the asset, whose playback tokens change. */
async function urls() {
  const { playback_url, dash_url, thumbnails, cover_thumbnail_url, tracks } = (await read()).video
  return { playback_url, dash_url, thumbnails, cover_thumbnail_url, tracks }
}
