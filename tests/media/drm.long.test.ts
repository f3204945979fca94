/**
 * Processes videos with Common Encryption in the whole service, and decrypts the stored tracks with the keys of the
 * license server.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { assets } from '@reelkeep/contract'
import { type Caller, Objects, SpekeProvider } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isCompleted, openMediaFixture, uploadVideo, waitForVideo } from './media-fixture.ts'

const run = promisify(execFile)
const fixture = await opened(openMediaFixture('drm'))
const provider = await opened(SpekeProvider.open())
const objects = new Objects(fixture.env, 'reelkeep-media')
const packager = join(
  dirname(createRequire(import.meta.url).resolve('shaka-packager/package.json')),
  `bin/packager-linux-${process.arch}`,
)

const SECONDS = 12
let directory: string
let film: string
let caller: Caller
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'reelkeep-drm-test-'))
  film = join(directory, 'film.mp4')
  const inputs = [
    ...['-f', 'lavfi', '-i', `testsrc2=size=640x360:rate=30:duration=${SECONDS}`],
    ...['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=48000:duration=${SECONDS}`],
  ]
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac']
  await run('ffmpeg', ['-v', 'error', ...inputs, ...codecs, film])
  caller = await fixture.newCaller()
})
afterAll(async () => {
  objects[Symbol.dispose]()
  await rm(directory, { recursive: true, force: true })
})

const options = { resolutions: ['240p', '360p'], content_protection_type: 'drm' }
const speke = {
  DRM_PROVIDER: 'speke',
  SPEKE_URL: provider.url,
  SPEKE_USERNAME: SpekeProvider.username,
  SPEKE_PASSWORD: SpekeProvider.password,
}

const prefixOf = (assetId: string) => `${caller.organizationId}/${assetId}/`

/** Joins a stored track: its header and all its segments. */
async function storedTrack(assetId: string, track: string): Promise<string> {
  const stored = await objects.versions(prefixOf(assetId))
  const files = stored.filter(({ key }) => key.includes(`/${track}/`))
  const nameOf = (key: string) => key.slice(key.lastIndexOf('/') + 1)
  const [init] = files.filter(({ key }) => nameOf(key) === 'init.mp4')
  const segments = files
    .filter(({ key }) => key.endsWith('.m4s'))
    .toSorted((a, b) => nameOf(a.key).localeCompare(nameOf(b.key)))
  if (!init || segments.length === 0) throw new Error(`no ${track} in storage`)
  const path = join(directory, `${assetId}-${track}.mp4`)
  const chunks = await Promise.all([init, ...segments].map((file) => objects.read(file)))
  await writeFile(path, Buffer.concat(chunks))
  return path
}

/** Number of frames that are decoded without an error. */
async function framesIn(path: string): Promise<number> {
  const given = ['-v', 'quiet', '-nostdin', '-xerror', '-err_detect', 'explode', '-i', path]
  const { stdout } = await run('ffmpeg', [...given, '-f', 'framemd5', '-'], {
    maxBuffer: 2 ** 24,
  }).catch((error: { stdout: string }) => error)
  return stdout.split('\n').filter((line) => line && !line.startsWith('#')).length
}

type Video = assets.Asset['video']
type Key = { readonly kid: string; readonly k: string }

async function decrypt(path: string, { kid, k }: Key, kind: 'video' | 'audio') {
  const output = `${path}.clear.mp4`
  const hex = (text: string) => Buffer.from(text, 'base64url').toString('hex')
  await run(packager, [
    `in=${path},stream=${kind},output=${output}`,
    ...['--enable_raw_key_decryption', '--quiet'],
    ...['--keys', `label=:key_id=${hex(kid)}:key=${hex(k)}`],
  ])
  return output
}

async function licenseOf({ dash_url }: Video): Promise<Key[]> {
  const url = dash_url ?? ''
  const manifest = await (await fetch(url)).text()
  const kids = [...manifest.matchAll(/cenc:default_KID="([^"]+)"/g)].map(([, kid = '']) =>
    Buffer.from(kid.replaceAll('-', ''), 'hex').toString('base64url'),
  )
  const body = JSON.stringify({ kids, type: 'temporary' })
  const response = await fetch(new URL('license', url), { method: 'POST', body })
  expect(response.status).toBe(200)
  return ((await response.json()) as { keys: Key[] }).keys
}

describe('a video protected with ClearKey', () => {
  let assetId: string
  let video: Video
  beforeAll(async () => {
    const worker = await fixture.startWorker()
    assetId = await uploadVideo(caller, film, options)
    video = await waitForVideo(caller, assetId, isCompleted, 120)
    await worker.stop()
  })

  it('cannot be decoded from storage without the license, and can be decoded completely with it', async () => {
    const [videoKey, audioKey] = await licenseOf(video)
    if (!videoKey || !audioKey) throw new Error('the license does not contain two keys')
    for (const [track, key, kind] of [
      ['240p', videoKey, 'video'],
      ['360p', videoKey, 'video'],
      ['audio', audioKey, 'audio'],
    ] as const) {
      const stored = await storedTrack(assetId, track)
      expect([track, await framesIn(stored)]).toEqual([track, 0])
      const clear = await framesIn(await decrypt(stored, key, kind))
      const frames = kind === 'video' ? SECONDS * 30 : Math.ceil((SECONDS * 48_000) / 1024)
      expect([track, clear]).toEqual([track, frames])
    }
  })

  it('has thumbnails', async () => {
    const response = await fetch(video.cover_thumbnail_url ?? '')
    const path = join(directory, 'cover.jpg')
    await writeFile(path, Buffer.from(await response.arrayBuffer()))
    const spread = ['-vf', 'signalstats,metadata=print:file=-', '-f', 'null', '-']
    const { stdout } = await run('ffmpeg', ['-v', 'error', '-i', path, ...spread])
    // The test pattern is colorful; a frame decoded without the key is gray.
    expect(Number(/SATMAX=([\d.]+)/.exec(stdout)?.[1])).toBeGreaterThan(60)
    expect(video.tracks.map(({ kind }) => kind)).toContain('storyboard')
    expect(video.dash_url).toMatch(/manifest\.mpd$/)
  })
})

describe('a video protected with a DRM provider', () => {
  it("is encoded with the provider's keys, even if the provider is busy at first", async () => {
    let failures = 2
    provider.change = (response) => (failures-- > 0 ? { ...response, status: 503 } : response)
    const worker = await fixture.startWorker(speke)
    const assetId = await uploadVideo(caller, film, options)
    await waitForVideo(caller, assetId, isCompleted, 150)
    await worker.stop()
    const kid = /<cpix:ContentKey kid="([^"]+)"/.exec(provider.requests.at(-1)?.body ?? '')?.[1] ?? ''
    const key = {
      kid: Buffer.from(kid.replaceAll('-', ''), 'hex').toString('base64url'),
      k: provider.keyOf(kid).toString('base64url'),
    }
    const stored = await storedTrack(assetId, '360p')
    expect(await framesIn(stored)).toBe(0)
    expect(await framesIn(await decrypt(stored, key, 'video'))).toBe(SECONDS * 30)
    expect(worker.log).not.toContain(provider.keyOf(kid).toString('hex'))
  }, 200_000)

  it('fails with an error that names the setting if the provider is not configured, and can be retried', async () => {
    const without = await fixture.startWorker({ DRM_PROVIDER: 'none' })
    const assetId = await uploadVideo(caller, film, options)
    const failed = await waitForVideo(caller, assetId, ({ status }) => status === 'Error', 90)
    expect(failed.error).toMatchObject({
      code: 'key_provider_failed',
      detail: expect.stringContaining('DRM_PROVIDER'),
    })
    await without.stop()
    const worker = await fixture.startWorker(speke)
    expect((await caller.post(`assets/${assetId}/retry/`)).status).toBe(200)
    await waitForVideo(caller, assetId, isCompleted, 120)
    await worker.stop()
  }, 240_000)
})
