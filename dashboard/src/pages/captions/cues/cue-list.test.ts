import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Cues,
  cueAt,
  indexAt,
  insertedCue,
  mergedWithNext,
  movedCue,
  shiftedCues,
  splitCue,
  withoutCue,
  withSpeaker,
  withText,
  withTimes,
} from './cue-list.ts'

const cue = (key: string, startMs: number, endMs: number, text = key, speaker = '') => ({
  ...{ key, startMs, endMs, text, speaker },
  settings: '',
})
const cues: Cues = [cue('a', 1000, 3000, 'Good evening.'), cue('b', 3000, 5000), cue('c', 6000, 8000)]
const times = (list: Cues) => list.map(({ key, startMs, endMs }) => [key, startMs, endMs])

describe('changing one cue', () => {
  it('keeps all other cues as they are, and the list if nothing changes', () => {
    const changed = withText(cues, 'b', 'Welcome')
    expect([changed[1]?.text, changed[0] === cues[0], changed[2] === cues[2]]).toEqual(['Welcome', true, true])
    expect(withText(cues, 'b', 'b')).toBe(cues)
    expect(withTimes(cues, 'b', { startMs: 3000 })).toBe(cues)
    expect(withText(cues, 'unknown', 'x')).toBe(cues)
  })

  it('keeps the order by start', () => {
    expect(times(movedCue(cues, 'a', 6000))).toEqual([
      ['b', 3000, 5000],
      ['c', 6000, 8000],
      ['a', 7000, 9000],
    ])
  })

  it('keeps a minimum duration, and no cue starts before the video', () => {
    expect(times(withTimes(cues, 'a', { startMs: 4000 }))).toContainEqual(['a', 4000, 4100])
    expect(times(withTimes(cues, 'a', { endMs: 500 }))).toContainEqual(['a', 400, 500])
    expect(times(withTimes(cues, 'a', { endMs: 0 }))).toContainEqual(['a', 0, 100])
    expect(times(movedCue(cues, 'a', -9000))).toContainEqual(['a', 0, 2000])
  })

  it('removes what would end the tag of a speaker', () => {
    expect(withSpeaker(cues, 'a', 'A>\nB')[0]?.speaker).toBe('AB')
  })
})

describe('splitCue', () => {
  const split = (options: { atMs?: number; atCharacter?: number }) =>
    splitCue(cues, { key: 'a', newKey: 'new', ...options }).slice(0, 2)

  it('splits at a time between two words', () => {
    expect(split({ atMs: 1500 })).toEqual([cue('a', 1000, 1500, 'Good'), cue('new', 1500, 3000, 'evening.')])
  })

  it('splits at a character, with a share of the time', () => {
    const [first, second] = split({ atCharacter: 4 })
    expect([first?.text, second?.text, first?.endMs]).toEqual(['Good', 'evening.', 1000 + Math.round((2000 * 4) / 13)])
  })

  it('splits in the middle if the time is outside', () => {
    expect(split({ atMs: 9000 })[0]?.endMs).toBe(2000)
  })

  it('does not split what is too short', () => {
    const short = [cue('a', 0, 150)]
    expect(splitCue(short, { key: 'a', newKey: 'b' })).toBe(short)
  })
})

it('mergedWithNext joins the texts and writes another speaker before the text', () => {
  expect(mergedWithNext(cues, 'a')[0]).toEqual(cue('a', 1000, 5000, 'Good evening.\nb'))
  const spoken = [cue('a', 0, 1000, 'Yes?', 'Ada'), cue('b', 1000, 2000, 'No.', 'Grace')]
  expect(mergedWithNext(spoken, 'a')).toEqual([cue('a', 0, 2000, 'Yes?\nGrace: No.', 'Ada')])
  expect(mergedWithNext(cues, 'c')).toBe(cues)
})

it('insertedCue ends where the next cue starts', () => {
  expect(times(insertedCue(cues, 'new', 5500))[2]).toEqual(['new', 5500, 6000])
  expect(times(insertedCue(cues, 'new', 9000))[3]).toEqual(['new', 9000, 11_000])
})

it('shiftedCues moves all cues, or those from one on, but none before the video', () => {
  expect(times(shiftedCues(cues, 500)).map(([, start]) => start)).toEqual([1500, 3500, 6500])
  expect(times(shiftedCues(cues, 500, 'b')).map(([, start]) => start)).toEqual([1000, 3500, 6500])
  expect(times(shiftedCues(cues, -5000)).map(([, start]) => start)).toEqual([0, 2000, 5000])
})

it('cueAt finds the cue at a time, also with gaps', () => {
  expect([500, 1000, 2999, 3000, 5500, 7999, 8000].map((ms) => cueAt(cues, ms)?.key)).toEqual([
    ...[undefined, 'a', 'a', 'b', undefined, 'c', undefined],
  ])
  expect([0, 1000, 99_999].map((ms) => indexAt(cues, ms))).toEqual([-1, 0, 2])
})

type Change = { readonly key: string; readonly newKey: string; readonly ms: number; readonly isStart: boolean }

const changes: Record<string, (list: Cues, change: Change) => Cues> = {
  text: (list, { key, newKey }) => withText(list, key, newKey),
  times: (list, { key, ms, isStart }) => withTimes(list, key, isStart ? { startMs: ms } : { endMs: ms }),
  move: (list, { key, ms }) => movedCue(list, key, ms),
  split: (list, { key, newKey, ms }) => splitCue(list, { key, newKey, atMs: ms }),
  merge: (list, { key }) => mergedWithNext(list, key),
  remove: (list, { key }) => withoutCue(list, key),
  insert: (list, { newKey, ms }) => insertedCue(list, newKey, Math.max(0, ms)),
  shift: (list, { key, ms }) => shiftedCues(list, ms, key),
}

it('every change keeps keys unique, cues ordered, and durations positive', () => {
  const step = fc.record({
    kind: fc.constantFrom(...Object.keys(changes)),
    index: fc.nat(9),
    ms: fc.integer({ min: -4000, max: 12_000 }),
  })
  const property = fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
    let list = cues
    steps.forEach(({ kind, index, ms }, number) => {
      const key = list[index % Math.max(1, list.length)]?.key ?? ''
      list = changes[kind]?.(list, { key, ms, newKey: `new ${number}`, isStart: index % 2 === 0 }) ?? list
    })
    expect(new Set(list.map(({ key }) => key)).size).toBe(list.length)
    expect(list.every(({ startMs, endMs }) => startMs >= 0 && endMs > startMs)).toBe(true)
    expect(list.map(({ startMs }) => startMs)).toEqual(list.map(({ startMs }) => startMs).toSorted((a, b) => a - b))
  })
  fc.assert(property, { seed: 25 })
})
