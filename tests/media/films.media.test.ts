/**
 * Films with every trap that is known through the whole service: uploaded to storage, encoded by
 * two workers, fetched as a viewer's device fetches them, decoded and looked at. What goes in and
 * what must come out stands with the films themselves (`@reelkeep/media/films`).
 *
 * The environment variable FILMS chooses among them: "sample" for what CI takes, or names with commas between.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { assets } from '@reelkeep/contract'
import type { Film } from '@reelkeep/media/film'
import { makeFilms } from '@reelkeep/media/films'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { printTable } from '../bench/table.ts'
import { type Engine, openPlayers } from '../browser/players.ts'
import { playedFilms, selectedFilms } from './film-selection.ts'
import { judgeFilm, type Verdict } from './judge-film.ts'
import { toRate } from './judge-pictures.ts'
import { askedNames } from './judge-renditions.ts'
import { isCompleted, openMediaStage, uploadVideo, videoBecomes } from './media-stage.ts'
import { fetchPublished } from './published-video.ts'

const UPLOADS_AT_ONCE = 4
const WORKERS = 2
/** For all of them: a film waits for those before it. */
const SECONDS_MAX = 1200

const stage = await opened(openMediaStage('films'))
const caller = await stage.newCaller()
const assetIds = new Map<string, string>()
let sources: string
let scratch: string

beforeAll(async () => {
  sources = await makeFilms(selectedFilms)
  scratch = await mkdtemp(join(tmpdir(), 'reelkeep-films-test-'))
  for (let worker = 0; worker < WORKERS; worker++) await stage.startWorker()
  const waiting = selectedFilms.values()
  const uploadNext = async () => {
    for (const { name } of waiting) {
      const wish = { resolutions: askedNames, content_protection_type: 'disable' }
      assetIds.set(name, await uploadVideo(caller, join(sources, name), wish))
    }
  }
  await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, uploadNext))
}, 600_000)
afterAll(() => rm(scratch, { recursive: true, force: true }))

const completed = async ({ name }: Film) => {
  const assetId = assetIds.get(name) ?? ''
  return { assetId, video: await videoBecomes(caller, assetId, isCompleted, SECONDS_MAX) }
}

async function judge(film: Film): Promise<Verdict> {
  const { assetId, video } = await completed(film)
  const directory = await mkdtemp(join(scratch, 'film-'))
  const plan = (await caller.get<assets.AssetPlan>(`assets/${assetId}/plan/`)).body
  const addresses = { masterUrl: video.playback_url ?? '', dashUrl: video.dash_url ?? '' }
  const published = await fetchPublished(addresses, directory)
  const path = join(sources, film.name)
  const verdict = await judgeFilm({ film, path, video, plan, published })
  await rm(directory, { recursive: true, force: true })
  const names = published.rungs.map(({ name }) => name).join(' ')
  rows.push(rowOf(film, names, verdict))
  return verdict
}

type Row = Record<string, string | number>
const rows: Row[] = []
const rowOf = ({ name, trap }: Film, renditions: string, verdict: Verdict): Row => ({
  ...{ film: name, trap, renditions, frames: verdict.frames },
  'sound moved (ms)': verdict.movedSeconds === undefined ? '' : inMilliseconds(verdict),
  'louder (dB)': verdict.louderDecibels?.toFixed(2) ?? '',
  faults: verdict.faults.length,
})
const inMilliseconds = ({ movedSeconds = Number.NaN }: Verdict) => (movedSeconds * 1000).toFixed(1)
afterAll(() => printTable(rows))

describe('a film comes out as it went in', () => {
  it.each(selectedFilms)(
    '$name: $trap',
    async (film) => {
      expect((await judge(film)).faults).toEqual([])
    },
    SECONDS_MAX * 1000,
  )
})

const ways: readonly (readonly [Engine, 'playback_url' | 'dash_url'])[] = [
  ['hls.js', 'playback_url'],
  ['shaka', 'playback_url'],
  ['shaka', 'dash_url'],
]

/** A frame more or less at the very end is the browser's affair. */
const FRAMES_MISSED_MAX = 3
const FASTER = 3

const screenings = playedFilms.flatMap((film) =>
  ways.map(([engine, address]) => ({ film, engine, address })),
)

// Nobody opens a browser for nothing.
if (screenings.length > 0)
  describe('a film plays to its end in Chromium', async () => {
    const players = await opened(openPlayers())

    it.each(screenings)(
      '$film.name: $engine by $address',
      async ({ film, engine, address }) => {
        const { video } = await completed(film)
        const url = video[address] ?? ''
        await using viewer = await players.play({ engine, url, rate: FASTER })
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
        expect(seen.audioBytes > 0).toBe(film.expected.sound !== null)
      },
      90_000,
    )
  })
