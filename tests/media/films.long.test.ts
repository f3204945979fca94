/**
 * Test films with every known difficulty in the whole service: uploaded to storage, encoded by two workers, fetched
 * like a player, decoded and checked. The expected results are part of the films (`@reelkeep/media/films`).
 *
 * The environment variable FILMS selects films: "sample" for the sample of CI, or names separated by commas.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { assets } from '@reelkeep/contract'
import type { Film } from '@reelkeep/media/film'
import { createFilms } from '@reelkeep/media/films'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { printTable } from '../../tools/bench/support/table.ts'
import { type Engine, openPlayers } from '../browser/players.ts'
import { checkFilm, type FilmReport } from './check-film.ts'
import { requestedNames } from './check-renditions.ts'
import { toRate } from './check-video.ts'
import { playedFilms, selectedFilms } from './film-selection.ts'
import { isCompleted, openMediaFixture, uploadVideo, waitForVideo } from './media-fixture.ts'
import { fetchPublished } from './published-video.ts'

const UPLOADS_AT_ONCE = 4
const WORKERS = 2
/** Time limit for each film: enough for all films, because they are queued. */
const SECONDS_MAX = 1200

const fixture = await opened(openMediaFixture('films'))
const caller = await fixture.newCaller()
const assetIds = new Map<string, string>()
let sources: string
let scratch: string

beforeAll(async () => {
  sources = await createFilms(selectedFilms)
  scratch = await mkdtemp(join(tmpdir(), 'reelkeep-films-test-'))
  for (let worker = 0; worker < WORKERS; worker++) await fixture.startWorker()
  const waiting = selectedFilms.values()
  const uploadNext = async () => {
    for (const { name } of waiting) {
      const options = { resolutions: requestedNames, content_protection_type: 'disable' }
      assetIds.set(name, await uploadVideo(caller, join(sources, name), options))
    }
  }
  await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, uploadNext))
}, 600_000)
afterAll(() => rm(scratch, { recursive: true, force: true }))

const waitUntilCompleted = async ({ name }: Film) => {
  const assetId = assetIds.get(name) ?? ''
  return { assetId, video: await waitForVideo(caller, assetId, isCompleted, SECONDS_MAX) }
}

async function checkPublished(film: Film): Promise<FilmReport> {
  const { assetId, video } = await waitUntilCompleted(film)
  const directory = await mkdtemp(join(scratch, 'film-'))
  const plan = (await caller.get<assets.AssetPlan>(`assets/${assetId}/plan/`)).body
  const urls = { masterUrl: video.playback_url ?? '', dashUrl: video.dash_url ?? '' }
  const published = await fetchPublished(urls, directory)
  const path = join(sources, film.name)
  const report = await checkFilm({ film, path, video, plan, published })
  await rm(directory, { recursive: true, force: true })
  const names = published.rungs.map(({ name }) => name).join(' ')
  rows.push(rowOf(film, names, report))
  return report
}

type Row = Record<string, string | number>
const rows: Row[] = []
const rowOf = ({ name, difficulty }: Film, renditions: string, report: FilmReport): Row => ({
  ...{ film: name, difficulty: difficulty, renditions, frames: report.frames },
  'audio shifted (ms)': report.shiftSeconds === undefined ? '' : inMilliseconds(report),
  'louder (dB)': report.louderDecibels?.toFixed(2) ?? '',
  errors: report.errors.length,
})
const inMilliseconds = ({ shiftSeconds = Number.NaN }: FilmReport) => (shiftSeconds * 1000).toFixed(1)
afterAll(() => printTable(rows))

describe('the published renditions match the source film', () => {
  it.each(selectedFilms)(
    '$name: $difficulty',
    async (film) => {
      expect((await checkPublished(film)).errors).toEqual([])
    },
    SECONDS_MAX * 1000,
  )
})

const playbackMethods: readonly (readonly [Engine, 'playback_url' | 'dash_url'])[] = [
  ['hls.js', 'playback_url'],
  ['shaka', 'playback_url'],
  ['shaka', 'dash_url'],
]

/** Browsers may skip a few frames at the end. */
const FRAMES_MISSED_MAX = 3
const PLAYBACK_RATE = 3

const playbacks = playedFilms.flatMap((film) => playbackMethods.map(([engine, field]) => ({ film, engine, field })))

// Opens no browser if no film is to be played.
if (playbacks.length > 0)
  describe('a film plays to its end in Chromium', async () => {
    const players = await opened(openPlayers())

    it.each(playbacks)('$film.name, played by $engine from $field', async ({ film, engine, field }) => {
      const { video } = await waitUntilCompleted(film)
      const url = video[field] ?? ''
      await using viewer = await players.play({ engine, url, rate: PLAYBACK_RATE })
      const seen = await viewer.watchUntil(({ hasEnded }) => hasEnded)
      expect(seen).toMatchObject({
        ...{ errors: [], hasEnded: true },
        heights: video.renditions.map(({ height }) => height),
      })
      const { duration } = video
      expect(seen.currentSeconds).toBeCloseTo(duration ?? Number.NaN, 0)
      const { numerator, denominator } = toRate(film.expected.frameRate)
      const frames = Math.round(((duration ?? Number.NaN) * numerator) / denominator)
      expect(seen.frames).toBeGreaterThanOrEqual(frames - FRAMES_MISSED_MAX)
      expect(seen.audioBytes > 0).toBe(film.expected.audio !== null)
    })
  })
