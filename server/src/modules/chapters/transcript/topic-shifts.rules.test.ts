import { describe, expect, it } from 'vitest'
import { topicShifts } from './topic-shifts.rules.ts'
import { chapterCountMax, type SpokenPart, startsOf } from './transcript.rules.ts'

const topics = [
  [
    'Saturn has rings of ice',
    'the rings of Saturn are thin',
    'ice and dust in the rings',
    'Saturn turns quickly',
    'rings again',
  ],
  ['bread needs flour and yeast', 'knead the bread', 'yeast makes bread rise', 'flour from rye', 'bake the bread hot'],
  [
    'the harbor was built for ships',
    'ships from the north',
    'the harbor froze',
    'a ship brings salt',
    'the harbor today',
  ],
] as const

/** Parts of ten seconds; `pauses` are seconds before the parts with these numbers. */
function spoken(pauses: Readonly<Record<number, number>> = {}): SpokenPart[] {
  let ms = 0
  return topics.flat().map((text, number) => {
    ms += (pauses[number] ?? 0) * 1000
    const startMs = ms
    ms += 10_000
    return { startMs, endMs: ms, text, fingerprints: null }
  })
}

describe('topicShifts', () => {
  it('finds where the words change, and names each chapter by its words', () => {
    const found = topicShifts(spoken(), { countMax: 10 })
    expect(found.map(({ part }) => part)).toEqual([0, 5, 10])
    const titles = found.map(({ title }) => title?.toLowerCase())
    expect(titles[0]).toContain('rings')
    expect(titles[1]).toContain('bread')
    expect(titles[2]).toContain('harbor')
  })

  it('finds where the meanings change, if all of them are known', () => {
    const bits = (part: number) => String(part < 4 ? '0000' : '1111').repeat(256)
    const parts = Array.from({ length: 9 }, (_, part) => ({
      ...{
        startMs: part * 10_000,
        endMs: part * 10_000 + 10_000,
        text: 'same words',
        fingerprints: [bits(part), bits(0), bits(part)],
      },
    }))
    expect(topicShifts(parts, { countMax: 10 }).map(({ part }) => part)).toEqual([0, 4])
  })

  it('finds a long pause between parts that are alike', () => {
    const parts = spoken({ 6: 9 }).map((part) => ({ ...part, text: 'again the same' }))
    expect(topicShifts(parts, { countMax: 10 }).map(({ part }) => part)).toEqual([0, 6])
  })

  it('returns at most as many chapters as asked for, and one for a short transcript', () => {
    expect(topicShifts(spoken(), { countMax: 2 })).toHaveLength(2)
    expect(topicShifts(spoken().slice(0, 2), { countMax: 10 })).toEqual([{ part: 0, title: expect.any(String) }])
    expect(topicShifts([], { countMax: 10 })).toEqual([])
  })

  it('has no title if no word is repeated', () => {
    expect(topicShifts(spoken().slice(0, 1), { countMax: 5 })).toEqual([{ part: 0, title: null }])
  })

  it('takes words with characters of patterns as they are', () => {
    const parts = spoken().map((part) => ({ ...part, text: `${part.text} (a+b)* $& \\d [x` }))
    expect(topicShifts(parts, { countMax: 10 })).toHaveLength(3)
  })
})

describe('startsOf', () => {
  it('starts after the words of the part before, or at a pause or scene close to it', () => {
    const found = { starts: [{ startSeconds: 51.2, kind: 'scene' as const, pauseSeconds: null }], trim: null }
    const parts = spoken().map((part) => ({ ...part, startMs: Math.max(0, part.startMs - 4000) }))
    const chapters = [0, 5, 10].map((part) => ({ part, title: `${part}` }))
    expect(startsOf(parts, chapters, found)).toEqual([
      { startSeconds: 0, title: '0' },
      { startSeconds: 51.2, title: '5' },
      { startSeconds: 100, title: '10' },
    ])
  })
})

it('long videos have more chapters, but not too many', () => {
  expect([60, 600, 3600, 36_000, 360_000].map(chapterCountMax)).toEqual([3, 8, 19, 60, 60])
})
