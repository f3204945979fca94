/**
 * Clips start and end at exactly the frames that were chosen, at every rate, with real encoding, in Chromium. Prints
 * the number of checks.
 */
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { FrameChecks } from './frame-checks.ts'
import { inPlayer, mixed, openFrameFixture } from './frame-fixture.ts'
import { filmRates } from './numbered-film.ts'
import { currentFrame, frameAfter, playToEnd, type ShownFrame } from './shown-frame.ts'

const CHECKS_MIN = 300
const SEGMENT_SECONDS = 4
/** Longer parts are played from this long before their end. */
const PLAYED_SECONDS = 0.6

const { client, openPlayer, upload } = await opened(openFrameFixture('clip_frames'))
type Film = Awaited<ReturnType<typeof upload>>

const checks = new FrameChecks()

afterAll(() => {
  process.stdout.write(`${checks.report}\n`)
})

/** Frames of a film; the frame `end` is the first one that is not part of it. */
type Part = { readonly start: number; readonly end: number }

/** Parts whose ends have all positions relative to those of segments. */
const partsOf = (count: number, segment: number): Part[] => [
  { start: 0, end: 17 },
  { start: 5, end: segment },
  { start: 1, end: 2 * segment + 7 },
  { start: segment - 1, end: segment + 1 },
  { start: segment, end: segment + 13 },
  { start: segment + 9, end: segment + 10 },
  { start: segment + 11, end: 2 * segment - 3 },
  { start: 2 * segment + 3, end: 3 * segment + 1 },
  { start: 2 * segment - 5, end: 3 * segment },
  { start: count - 19, end: count },
]

/** Frames of a part that a viewer may seek to, without neighbors that are the same. */
function seekTargets({ start, end }: Part): number[] {
  const last = end - start - 1
  const inside = [1, 0.31 * last, 0.5 * last, 0.74 * last, last - 1].map(Math.round)
  const targets = [last, ...mixed(inside.filter((frame) => frame > 0 && frame < last)), 0, last]
  return targets.filter((target, index) => target !== targets[index - 1])
}

/** A frame of a part to which a link leads. */
const linkTarget = ({ start, end }: Part) => Math.floor((end - start) / 3)

const seekTo = (page: Page, seconds: number) => frameAfter(page, () => inPlayer(page, `seek(${seconds})`))

/** Seconds with three decimals, as clients send them. */
const rounded = (seconds: number) => Math.round(seconds * 1000) / 1000

/** What a frame shows of a film, for frames that a test needs. */
async function readNumbers(film: Film, frames: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const page = await openPlayer(film.id)
  await seekTo(page, 1)
  const numbers = new Map<number, number>()
  for (const frame of new Set(frames)) numbers.set(frame, (await seekTo(page, (frame + 0.5) / film.rate)).number)
  await page.context().close()
  return numbers
}

/** The position of a paused player is inside of a frame. */
const startOfFrame = ({ number, mediaTime }: ShownFrame, { rate }: Film): ShownFrame => ({
  number,
  mediaTime: Math.floor(mediaTime * rate + 1e-6) / rate,
})

/** A check of a frame of a clip. The time of the shown frame is that of the playlist, which has whole segments. */
type Check = (what: string, shown: ShownFrame, frame: number) => void

async function checkClip(film: Film, { start, end }: Part, check: Check): Promise<void> {
  const { rate } = film
  const times = { start_seconds: rounded(start / rate), end_seconds: rounded(end / rate) }
  const { id } = await client.clips.create(film.id, times)
  const last = end - start - 1

  const page = await openPlayer(id)
  check('first frame after loading', startOfFrame(await currentFrame(page), film), 0)
  if (last > 0) {
    for (const frame of seekTargets({ start, end })) {
      // Before its start and after its end, a clip shows its first and its last frame.
      const seconds = frame === 0 ? 0 : frame === last ? 60 : (frame + 0.5) / rate
      check('frame after seeking', await seekTo(page, seconds), frame)
    }
    await seekTo(page, (last + 0.5) / rate - PLAYED_SECONDS)
  }
  const played = await playToEnd(page)
  const final = startOfFrame(played.last, film)
  check('frame after playing', final, last)
  // The browser does not report the last frame if the seek that ends the part finds it on the screen.
  const latest = played.shown.findLast(({ mediaTime }) => mediaTime > final.mediaTime + 0.5 / rate)
  check('latest frame while playing', latest ?? final, last)
  await page.context().close()

  const linked = linkTarget({ start, end })
  const followed = await openPlayer(id, `#t=${rounded(linked / rate)}`)
  check('frame of a link', startOfFrame(await currentFrame(followed), film), linked)
  await followed.context().close()
}

it.each(filmRates)(
  'clips of a film with $name start and end at exactly the chosen frames',
  async ({ name, ...rest }) => {
    const film = await upload({ name, ...rest })
    const { rate } = film
    const segment = Math.round(SEGMENT_SECONDS * rate)
    const parts = partsOf(film.count, segment)
    const needed = parts.flatMap((part) => [...seekTargets(part), linkTarget(part)].map((frame) => part.start + frame))
    const numbers = rest.isVariable && (await readNumbers(film, [0, ...needed]))

    for (const part of parts) {
      const lead = part.start % segment
      await checkClip(film, part, (what, { number, mediaTime }, frame) =>
        checks.check(
          `${name}, ${what}`,
          { number, mediaTime: mediaTime - lead / rate },
          { number: numbers ? (numbers.get(part.start + frame) ?? -1) : part.start + frame, frame, rate },
        ),
      )
    }
  },
)

it('checks enough frames, and all are right', () => {
  expect(checks.count).toBeGreaterThanOrEqual(CHECKS_MIN)
  expect(checks.wrong).toEqual([])
})
