import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PARTS_MAX, splitIntoParts } from './parts.ts'
import { rungNames } from './plan.ts'

/** Describes each part, for example as "240p 0-2, audio 0-2". */
function split(segments: number, names: readonly (typeof rungNames)[number][], hasAudio = true) {
  const rungs = names.map((name) => ({ name }))
  return splitIntoParts({ segments, rungs, hasAudio }).map(({ tracks }) =>
    tracks.map(({ name, segments: { start, end } }) => `${name} ${start}-${end}`).join(', '),
  )
}

describe('splitIntoParts', () => {
  it('starts with the smallest rung and the audio; the rest of a short video is one part', () => {
    expect(split(5, ['240p', '720p'])).toEqual(['240p 0-2, audio 0-2', '240p 2-5, 720p 0-5, audio 2-5'])
    expect(split(22, ['240p'])).toEqual(['240p 0-2, audio 0-2', '240p 2-22, audio 2-22'])
  })

  it('returns a single part if there is nothing after the opening', () => {
    expect(split(2, ['240p'])).toEqual(['240p 0-2, audio 0-2'])
    expect(split(1, ['240p'], false)).toEqual(['240p 0-1'])
  })

  it('lists no track without segments', () => {
    expect(split(2, ['240p', '720p'])).toEqual(['240p 0-2, audio 0-2', '720p 0-2'])
    expect(split(1, ['240p', '360p', '720p'], false)).toEqual(['240p 0-1', '360p 0-1, 720p 0-1'])
  })

  it('splits longer videos into chunks, and adds a short remainder to the last chunk', () => {
    expect(split(23, ['240p', '720p'], false)).toEqual(['240p 0-2', '240p 2-10, 720p 0-10', '240p 10-23, 720p 10-23'])
    expect(split(35, ['240p'], false)).toEqual([...['240p 0-2', '240p 2-10', '240p 10-20', '240p 20-30', '240p 30-35']])
    expect(split(34, ['240p'], false)).toEqual([...['240p 0-2', '240p 2-10', '240p 10-20', '240p 20-34']])
  })

  it('returns every segment of every track once and in order, within the maximum number of parts', () => {
    const tracks = fc.record({
      segments: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 100_000 })),
      rungs: fc.subarray([...rungNames], { minLength: 1 }).map((names) => names.map((name) => ({ name }))),
      hasAudio: fc.boolean(),
    })
    fc.assert(
      fc.property(tracks, ({ segments, rungs, hasAudio }) => {
        const parts = splitIntoParts({ segments, rungs, hasAudio })
        expect(parts.length).toBeLessThanOrEqual(PARTS_MAX)
        expect(parts.map(({ number }) => number)).toEqual(parts.map((_, index) => index))
        const ends = new Map<string, number>()
        for (const { name, segments: range } of parts.flatMap((part) => part.tracks)) {
          expect(range.start).toBe(ends.get(name) ?? 0)
          expect(range.end).toBeGreaterThan(range.start)
          ends.set(name, range.end)
        }
        const wanted = [...rungs.map(({ name }) => name), ...(hasAudio ? ['audio'] : [])]
        expect(Object.fromEntries(ends)).toEqual(Object.fromEntries(wanted.map((name) => [name, segments])))
      }),
    )
  })
})
