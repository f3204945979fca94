/** The two subtitle steps with real videos, sandbox and storage. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  fileObject,
  moonshine,
  openSandbox,
  type Sandbox,
  type Transcriber,
  TranscriptionFailed,
} from '@reelkeep/media'
import { type Caller, openOwner, openSession, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { type Asset, requireAsset } from '../../assets/assets.ts'
import { tracksOf } from '../../subtitles/subtitles.ts'
import { attemptPrefix, openOutputs, openStored } from '../outputs.ts'
import { extractSubtitlesStep } from './extract-subtitles.step.ts'
import type { Step, StepContext } from './step.ts'
import { transcribe } from './transcribe.step.ts'

const run = promisify(execFile)
const world = await opened(TestApi.open())
const owner = await opened(Promise.resolve(openOwner()))
const { media, logger } = world.context
const { signal } = new AbortController()

let directory: string
let sandbox: Sandbox
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'subtitle-steps-'))
  sandbox = await openSandbox({ mode: 'bubblewrap' })
  await writeFile(join(directory, 'said.txt'), 'The old lighthouse stood alone at the edge of the cliff.')
  await writeFile(join(directory, 'de.srt'), '1\n00:00:01,000 --> 00:00:02,000\nGuten Tag\n')
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25:duration=4']
  const voice = ['-f', 'lavfi', '-i', 'flite=textfile=said.txt:voice=slt']
  // FLAC, because the encoder delay of AAC would shift the whole file.
  const encoded = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'flac']
  for (const given of [
    [
      ...picture,
      ...voice,
      '-i',
      'de.srt',
      ...encoded,
      '-c:s',
      'srt',
      '-map',
      '0',
      '-map',
      '1',
      '-map',
      '2',
      '-metadata:s:s:0',
      'language=ger',
      'all.mkv',
    ],
    [...picture, ...voice, ...encoded, '-metadata:s:a:0', 'language=ger', 'german.mkv'],
    [...picture, ...encoded, 'silent.mp4'],
  ]) {
    await run('ffmpeg', ['-loglevel', 'error', '-nostdin', ...given], { cwd: directory })
  }
})
afterAll(() => rm(directory, { recursive: true }))

let caller: Caller
let db: OrganizationDb
let asset: Asset
beforeEach(async () => {
  caller = await world.newOrganization()
  db = owner.forOrganization(caller.organizationId as OrganizationId)
  const { asset: made } = await openSession(caller, { generate_subtitle: true })
  asset = await requireAsset(db, made.id as AssetId)
})

/** Runs the step as an attempt does, and returns the result. */
async function done(step: Step, name: string, more: Partial<StepContext> = {}) {
  const prefix = attemptPrefix(db, asset.id, { step: step.job.name, token: 3, nonce: 'a' })
  const publish = await step.run({
    ...{
      asset,
      db,
      part: '',
      number: 1,
      isLast: false,
      hasFailedElsewhere: false,
      sandbox,
      logger,
      signal,
      transcriber: undefined,
    },
    keyRing: world.context.config.KEY_ENCRYPTION_KEYS,
    stored: openStored(media, signal),
    drm: { provider: undefined, scheme: 'cbcs' },
    reportProgress: () => undefined,
    file: await fileObject(join(directory, name)),
    outputs: openOutputs(media, prefix, signal),
    ...more,
  })
  await db.transaction((tx) => publish(tx, asset))
  const [tracks] = await db.run(tracksOf({ assetId: asset.id }))
  const { body } = await caller.get<{ entries: { what: string; detail: string }[] }>(`assets/${asset.id}/timeline/`)
  return { tracks, entry: body.entries.at(-1) }
}

const failing = (reason: TranscriptionFailed['reason']): Transcriber => ({
  transcribe: async () => {
    throw new TranscriptionFailed(reason, 'as it was told')
  },
})

describe('the transcribe step', () => {
  it('generates a readable track from speech', async () => {
    const { tracks, entry } = await done(transcribe, 'all.mkv', {
      transcriber: moonshine({ threads: 1 }),
    })
    expect(tracks).toMatchObject([{ origin: 'generated', language: 'en', label: 'English' }])
    expect(entry).toMatchObject({ what: 'subtitles_generated' })
    const { text } = await caller.send('GET', `assets/${asset.id}/subtitles/${tracks[0]?.id}/`)
    expect(text).toMatch(/^WEBVTT\n\n00:00:00\.\d{3} --> 00:00:0[23]/)
    expect(text.toLowerCase()).toContain('the edge of the cliff')
  })

  it('is enqueued only if subtitles were requested', async () => {
    expect(await transcribe.parts?.(db, asset)).toHaveLength(1)
    expect(await transcribe.parts?.(db, { ...asset, generateSubtitle: false })).toEqual([])
  })

  it.each<[string, string, Transcriber | undefined, RegExp]>([
    ['a video without audio', 'silent.mp4', failing('refused'), /no audio/],
    ['a service without a transcriber', 'all.mkv', undefined, /no transcriber/],
    ['an unsupported language', 'german.mkv', moonshine({ threads: 1 }), /language of the audio \(de\)/],
    ['a refusal', 'all.mkv', failing('refused'), /transcription failed/],
    ['silence', 'all.mkv', { transcribe: async () => ({ language: 'en', phrases: [] }) }, /no speech/],
  ])('completes without subtitles and records the reason for %s', async (_, name, transcriber, detail) => {
    const { tracks, entry } = await done(transcribe, name, { transcriber })
    expect(tracks).toEqual([])
    expect(entry).toMatchObject({ what: 'subtitles_not_generated' })
    expect(entry?.detail).toMatch(detail)
  })

  it('is retried while the transcriber is unavailable, and finally completes without subtitles', async () => {
    const away = { transcriber: failing('unavailable') }
    await expect(done(transcribe, 'all.mkv', away)).rejects.toThrow('as it was told')
    const { entry } = await done(transcribe, 'all.mkv', { ...away, isLast: true })
    expect(entry).toMatchObject({ what: 'subtitles_not_generated' })
  })

  it('does not complete if it was aborted, not even at the last attempt', async () => {
    const gone = { signal: AbortSignal.abort(new Error('lost')), isLast: true }
    await expect(done(transcribe, 'all.mkv', { ...gone, transcriber: failing('aborted') })).rejects.toThrow()
  })
})

describe('extracting subtitles', () => {
  it('extracts the tracks of the file', async () => {
    const { tracks, entry } = await done(extractSubtitlesStep, 'all.mkv')
    expect(tracks).toMatchObject([{ origin: 'embedded', language: 'de', label: 'Deutsch' }])
    expect(entry).toMatchObject({ what: 'subtitles_extracted' })
    const { text } = await caller.send('GET', `assets/${asset.id}/subtitles/${tracks[0]?.id}/`)
    expect(text).toBe('WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nGuten Tag\n')
  })

  it('does nothing if the file has no subtitles', async () => {
    const { tracks, entry } = await done(extractSubtitlesStep, 'silent.mp4')
    expect(tracks).toEqual([])
    expect(entry?.what).not.toContain('subtitles')
  })

  it('is retried while the file is unreadable, and finally completes without subtitles', async () => {
    const file = await fileObject(join(directory, 'all.mkv'))
    const away = { file: { ...file, read: () => Promise.reject(new Error('storage is away')) } }
    await expect(done(extractSubtitlesStep, 'all.mkv', away)).rejects.toThrow()
    const { entry } = await done(extractSubtitlesStep, 'all.mkv', { ...away, isLast: true })
    expect(entry).toMatchObject({ what: 'subtitles_not_extracted' })
  })
})
