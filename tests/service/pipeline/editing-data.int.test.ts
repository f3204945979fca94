/** Data for timelines, made by a real worker: frame rate, frame times, waveform and filmstrip. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import type { assets, frames } from '@reelkeep/contract'
import { MediaBucket } from '@reelkeep/server/platform/storage/media-bucket.ts'
import { type Caller, formOf, openSession, postByFetch, stackEnv, storageOf } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openPipelineFixture, soon, statusOf } from './pipeline-fixture.ts'

const fixture = await opened(openPipelineFixture('editing_data'))
const bucket = new MediaBucket(storageOf(stackEnv()))
afterAll(() => bucket[Symbol.dispose]())

let caller: Caller
beforeEach(async () => {
  caller = await fixture.newOrganization()
})
await fixture.startWorker({}, 'server/src/main/worker.ts')

/** Generates a video with ffmpeg. */
async function generate(recipe: readonly string[], container = 'mkv'): Promise<Buffer> {
  const name = `video.${container}`
  const directory = await mkdtemp(join(tmpdir(), 'editing-'))
  try {
    const options = ['-loglevel', 'error', '-nostdin', ...recipe, '-c:v', 'libx264', '-preset', 'ultrafast']
    await promisify(execFile)('ffmpeg', [...options, '-c:a', 'flac', name], { cwd: directory })
    return await readFile(join(directory, name))
  } finally {
    await rm(directory, { recursive: true })
  }
}

async function processed(file: Buffer, settings: object = {}): Promise<assets.Asset> {
  const session = await openSession(caller, { resolutions: ['240p'], ...settings })
  const { asset, upload_session, client_payload } = session
  expect((await postByFetch(formOf(client_payload, file))).status).toBe(204)
  await caller.post(`assets/upload-sessions/${upload_session.uuid}/complete/`)
  await soon(() => statusOf(caller, asset.id)).toBe('Completed')
  return (await caller.get<assets.Asset>(`assets/${asset.id}/`)).body
}

/** Reads a file of an asset from storage, by its playback URL. */
async function stored({ id }: assets.Asset, url: string): Promise<Buffer> {
  const name = url.slice(url.indexOf(id))
  return bucket.read(
    `${caller.organizationId}/${name}`,
    { range: undefined, bytesMax: 2 ** 20 },
    AbortSignal.timeout(30_000),
  )
}

const framesAround = async ({ id }: assets.Asset, around: number) =>
  (await caller.get<frames.Frames>(`assets/${id}/frames/?around=${around}`)).body

/** Silence for two seconds, then a tone at half of full scale. */
const sound = ['-f', 'lavfi', '-i', "aevalsrc='0.5*sin(2*PI*400*t)*gte(t,2)':d=4:s=48000"]
const picture = (rate: string) => ['-f', 'lavfi', '-i', `testsrc2=size=64x36:rate=${rate}:duration=4`]

describe('a video with sound', () => {
  it.each(['disable', 'aes'])('has frame times and a waveform, with the protection %s', async (protection) => {
    const asset = await processed(await generate([...picture('30000/1001'), ...sound]), {
      content_protection_type: protection,
    })
    expect(asset.video.frame_rate).toBe(29.97)
    expect(asset.video.tracks.map(({ kind }) => kind)).toEqual(['storyboard'])
    const found = await framesAround(asset, 1)
    expect(found).toMatchObject({
      ...{ frame_rate: { numerator: 30_000, denominator: 1001 }, frame_count: 120, keyframe_interval: 60 },
    })
    expect(found.frames.map(({ number }) => number)).toEqual(Array.from({ length: 90 }, (_, number) => number))
    expect(found.frames[60]).toEqual({ number: 60, time: (60 * 1001) / 30_000, is_keyframe: true })
    const url = asset.video.waveform_url ?? ''
    const { status, headers } = await caller.get(url)
    expect([status, headers['content-type']]).toEqual([200, 'application/gzip'])
    const waveform = gunzipSync(await stored(asset, url))
    expect([...waveform.subarray(0, 2), waveform.readUInt32LE(2)]).toEqual([1, 1, 81])
    expect(Math.max(...waveform.subarray(6, 6 + 39))).toBeLessThan(10)
    for (const peak of waveform.subarray(6 + 41, 6 + 79)) expect(Math.abs(peak - 128)).toBeLessThan(4)
    const [published] = await fixture.superuser.query<{ names: string[] }>(
      "select names from published_files where asset_id = $1 and step = 'video-pictures'",
      [asset.id],
    )
    expect(published?.names).toContain('waveform.gz')
  })

  it('has a waveform that requires a playback token if it is protected', async () => {
    const asset = await processed(await generate([...picture('25'), ...sound]), { content_protection_type: 'aes' })
    const url = asset.video.waveform_url ?? ''
    const [token = ''] = /(?<=\/play\/)[^/]+/.exec(url) ?? []
    expect((await caller.get(url.replace(token, 'open'))).status).toBe(403)
  })
})

it('a video without sound has no waveform, and one with a variable frame rate has exact frame times', async () => {
  const variable = [...picture('30'), '-vf', "select='not(eq(mod(n,7),3))'", '-fps_mode', 'vfr']
  const asset = await processed(await generate(variable, 'mp4'))
  expect(asset.video).toMatchObject({ frame_rate: null, waveform_url: null })
  const { frame_rate: rate, frames: found } = await framesAround(asset, 0)
  expect(rate).toEqual({ numerator: 30, denominator: 1 })
  expect(found.at(-1)).toEqual({ number: 60, time: 2, is_keyframe: true })
})

it('a long video has a filmstrip with a frame for every two seconds', async () => {
  const asset = await processed(await generate(['-f', 'lavfi', '-i', 'testsrc2=size=64x36:rate=1:duration=1010']))
  expect(asset.video.tracks.map(({ kind }) => kind)).toEqual(['storyboard', 'filmstrip'])
  const lists = await Promise.all(asset.video.tracks.map(async ({ url }) => (await caller.get(url)).text))
  const [storyboard = 0, filmstrip = 0] = lists.map((list) => list.match(/^\S+ --> \S+$/gm)?.length)
  expect([storyboard, filmstrip]).toEqual([253, 505])
  const sheet = (asset.video.tracks[1]?.url ?? '').replace('filmstrip.vtt', 'filmstrip-21.jpg')
  expect((await caller.get(sheet)).headers['content-type']).toBe('image/jpeg')
  expect((await framesAround(asset, 1e6)).frames.map(({ number }) => number)).toEqual([1007, 1008, 1009])
})
