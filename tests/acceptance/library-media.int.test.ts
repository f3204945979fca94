/** Downloads and covers of a processed video. */
import { execFileSync } from 'node:child_process'
import type { assets, covers, downloads, Problem } from '@reelkeep/contract'
import { formOf, postByFetch } from '@reelkeep/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment } from './deployment.ts'
import { complete, newSession, type Opened } from './uploads.ts'
import { assetBecomes, PROCESSED_MILLISECONDS_MAX, uploadFile, videoOf } from './videos.ts'

let deployment: Deployment
let video: Opened
beforeAll(async () => {
  deployment = await Deployment.openSwept()
  video = await uploadFile(deployment.mine, deployment.unique(), videoOf(10.5))
  await assetBecomes(deployment.mine, video, ({ status }) => status === 'Completed')
}, PROCESSED_MILLISECONDS_MAX)
afterAll(() => deployment[Symbol.asyncDispose]())

const create = (body: object) =>
  deployment.mine.post<downloads.Download & Problem>(`assets/${video.asset.id}/downloads/`, body)

describe('downloads', () => {
  it('return the source as it was uploaded', async () => {
    const { status, body } = await create({ kind: 'source' })
    expect([status, body.file_name]).toEqual([200, `${video.asset.title}.mp4`])
    const response = await fetch(body.url)
    expect(response.headers.get('content-disposition')).toMatch(/^attachment;/)
    expect(Buffer.from(await response.arrayBuffer()).equals(videoOf(10.5))).toBe(true)
  })

  it('return a rendition as an MP4 that ffprobe reads, and HEAD returns its length', async () => {
    const { status, body } = await create({ kind: 'mp4', resolution: '240p' })
    expect([status, body.resolution]).toEqual([200, '240p'])
    const file = Buffer.from(await (await fetch(body.url)).arrayBuffer())
    const head = await fetch(body.url, { method: 'HEAD' })
    expect(head.headers.get('content-length')).toBe(String(file.length))
    const probe = ['-v', 'error', '-of', 'json', '-show_format', '-show_streams', '-']
    const { format, streams } = JSON.parse(execFileSync('ffprobe', probe, { input: file, encoding: 'utf8' }))
    expect(Number(format.duration)).toBeCloseTo(10.5, 0)
    expect(streams.map((stream: { codec_type: string }) => stream.codec_type)).toContain('video')
  })

  it('409: a rendition that does not exist is refused', async () => {
    const { status, body } = await create({ kind: 'mp4', resolution: '1080p' })
    expect([status, body.code]).toEqual([409, 'rendition_not_available'])
  })
})

describe('the cover', () => {
  const path = () => `assets/${video.asset.id}/cover/`
  const set = (body: object) => deployment.mine.send<covers.Cover & Problem>('PUT', path(), body)
  const read = async () => (await deployment.mine.get<covers.Cover>(path())).body
  const slow = { timeout: PROCESSED_MILLISECONDS_MAX }

  it('can be any frame, which is created in the background', slow, async () => {
    const before = await read()
    expect(before).toMatchObject({ status: 'ready', is_custom: false })
    expect(await set({ at_seconds: 7.3 })).toMatchObject({
      status: 200,
      body: { status: 'processing', url: before.url },
    })
    await expect.poll(read, slow).toMatchObject({ status: 'ready', is_custom: true })
    const { url } = await read()
    const asset = await deployment.mine.get<assets.Asset>(`assets/${video.asset.id}/`)
    expect([url === before.url, asset.body.video.cover_thumbnail_url]).toEqual([false, url])
    const response = await fetch(String(url))
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
    const probe = ['-v', 'error', '-show_entries', 'stream=codec_name', '-of', 'csv=p=0', '-']
    const image = Buffer.from(await response.arrayBuffer())
    expect(execFileSync('ffprobe', probe, { input: image, encoding: 'utf8' }).trim()).toBe('mjpeg')
  })

  it('can be a generated thumbnail, and be reset', async () => {
    expect((await set({ thumbnail: 1 })).body).toMatchObject({ status: 'ready', is_custom: true })
    expect((await deployment.mine.delete(path())).status).toBe(204)
    expect(await read()).toMatchObject({ status: 'ready', is_custom: false })
  })

  async function upload(image: Buffer): Promise<string> {
    const { status, body } = await deployment.mine.post<covers.CoverUpload>(`${path()}uploads/`)
    expect(status).toBe(200)
    expect((await postByFetch(formOf(body.client_payload, image))).status).toBeLessThan(300)
    return body.id
  }

  it('can be an uploaded image, which is encoded again', slow, async () => {
    const source = [
      '-f',
      'lavfi',
      '-i',
      'testsrc2=size=2000x500',
      '-frames:v',
      '1',
      '-f',
      'image2pipe',
      '-c:v',
      'png',
      '-',
    ]
    const image = execFileSync('ffmpeg', ['-v', 'error', '-nostdin', ...source])
    expect((await set({ upload_id: await upload(image) })).body).toMatchObject({ status: 'processing' })
    await expect.poll(read, slow).toMatchObject({ status: 'ready', is_custom: true })
    const shown = Buffer.from(await (await fetch(String((await read()).url))).arrayBuffer())
    const probe = ['-v', 'error', '-show_entries', 'stream=codec_name,width,height', '-of', 'csv=p=0', '-']
    expect(execFileSync('ffprobe', probe, { input: shown, encoding: 'utf8' }).trim()).toBe('mjpeg,1280,320')
  })

  it('stays as it is if an uploaded file is not an image, and the timeline says so', slow, async () => {
    const before = await read()
    await set({ upload_id: await upload(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')) })
    await expect.poll(read, slow).toEqual(before)
    const { body } = await deployment.mine.get<assets.Timeline>(`assets/${video.asset.id}/timeline/`)
    expect(body.entries.at(-1)?.what).toBe('cover_failed')
  })

  it('400: a frame after the end is refused', async () => {
    const { status, body } = await set({ at_seconds: 11 })
    expect([status, body.code]).toEqual([400, 'cover_outside_video'])
  })
})

it('a video that is protected with aes has covers of any frame, but no MP4', {
  timeout: PROCESSED_MILLISECONDS_MAX,
}, async () => {
  const { mine } = deployment
  const fields = { resolutions: ['240p'], content_protection_type: 'aes' }
  const opened = await newSession(mine, deployment.unique(), fields)
  await postByFetch(formOf(opened.client_payload, videoOf(10.5)))
  await complete(mine, opened)
  await assetBecomes(mine, opened, ({ status }) => status === 'Completed')
  const path = `assets/${opened.asset.id}`
  const refused = await mine.post<Problem>(`${path}/downloads/`, { kind: 'mp4' })
  expect([refused.status, refused.body.code]).toEqual([409, 'content_protected'])
  expect((await mine.post(`${path}/downloads/`, { kind: 'source' })).status).toBe(200)
  await mine.send('PUT', `${path}/cover/`, { at_seconds: 5.5 })
  const read = async () => (await mine.get<covers.Cover>(`${path}/cover/`)).body
  await expect.poll(read, { timeout: PROCESSED_MILLISECONDS_MAX }).toMatchObject({ status: 'ready', is_custom: true })
  expect((await fetch(String((await read()).url))).headers.get('content-type')).toBe('image/jpeg')
})
