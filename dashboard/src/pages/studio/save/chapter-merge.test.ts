import { describe, expect, it } from 'vitest'
import type { Chapter } from '../chapters/chapter-edits.ts'
import { type BaseChapter, type Choice, mergeChapters, resolveConflicts, type SavedChapter } from './chapter-merge.ts'

const saved = (id: number, title: string, startMs: number): SavedChapter => ({ id, title, startMs })
const base: readonly BaseChapter[] = [
  { ...saved(1, 'Opening', 0), key: 'a' },
  { ...saved(2, 'Interview', 10_000), key: 'b' },
  { ...saved(3, 'Questions', 20_000), key: 'c' },
]
const same: readonly Chapter[] = base.map(({ key, title, startMs }) => ({ key, title, startMs }))
const change = <T extends Chapter | SavedChapter>(chapters: readonly T[], index: number, values: Partial<T>) =>
  chapters.map((chapter, at) => (at === index ? { ...chapter, ...values } : chapter))
const shown = (chapters: readonly { readonly title: string; readonly startMs: number }[]) =>
  chapters.map(({ title, startMs }) => `${startMs / 1000} ${title}`)
const theirs: readonly SavedChapter[] = base.map(({ id, title, startMs }) => ({ id, title, startMs }))

describe('changes that do not conflict are combined', () => {
  it('of different chapters', () => {
    const merge = mergeChapters({
      base,
      mine: change(same, 0, { title: 'Welcome' }),
      theirs: change(theirs, 2, { startMs: 25_000 }),
    })
    expect(shown(merge.chapters)).toEqual(['0 Welcome', '10 Interview', '25 Questions'])
    expect(merge).toMatchObject({ conflicts: [], theirChanges: 1 })
  })

  it('of title and start of the same chapter', () => {
    const merge = mergeChapters({
      base,
      mine: change(same, 1, { title: 'Talk' }),
      theirs: change(theirs, 1, { startMs: 11_000 }),
    })
    expect(shown(merge.chapters)).toEqual(['0 Opening', '11 Talk', '20 Questions'])
  })

  it('of additions and deletions', () => {
    const merge = mergeChapters({
      base,
      mine: [...same.slice(1), { key: 'n', title: 'Credits', startMs: 50_000 }],
      theirs: [...theirs.slice(0, 2), saved(4, 'Panel', 30_000)],
    })
    expect(shown(merge.chapters)).toEqual(['10 Interview', '30 Panel', '50 Credits'])
    expect(merge.conflicts).toEqual([])
  })

  it('that are the same on both sides', () => {
    const merge = mergeChapters({
      base,
      mine: [...change(same, 0, { title: 'Hello' }), { key: 'n', title: 'Credits', startMs: 50_000 }],
      theirs: [...change(theirs, 0, { title: 'Hello' }), saved(4, 'Credits', 50_000)],
    })
    expect(shown(merge.chapters)).toEqual(['0 Hello', '10 Interview', '20 Questions', '50 Credits'])
    expect(merge.conflicts).toEqual([])
    expect(merge.base.at(-1)).toMatchObject({ key: 'n', id: 4 })
  })

  it('if a moved chapter has got another id', () => {
    const moved = [theirs[0], saved(4, 'Interview', 12_000), theirs[2]].filter((chapter) => chapter !== undefined)
    const merge = mergeChapters({ base, mine: change(same, 1, { title: 'Talk' }), theirs: moved })
    expect(shown(merge.chapters)).toEqual(['0 Opening', '12 Talk', '20 Questions'])
  })
})

describe('conflicts are left to the user', () => {
  const decide = (merge: ReturnType<typeof mergeChapters>, choice: Choice) =>
    resolveConflicts(merge, new Map(merge.conflicts.map(({ key }) => [key, choice])), (ms) => ms + 40)

  it('if both have changed the same field, and the other field is combined', () => {
    const merge = mergeChapters({
      base,
      mine: change(same, 1, { title: 'Talk' }),
      theirs: change(theirs, 1, { title: 'Discussion', startMs: 11_000 }),
    })
    expect(merge.conflicts).toMatchObject([
      { key: 'b', kind: 'changed', mine: { title: 'Talk', startMs: 11_000 }, theirs: { title: 'Discussion' } },
    ])
    expect(shown(merge.chapters)).toEqual(['0 Opening', '20 Questions'])
    expect(shown(decide(merge, 'mine').chapters)).toEqual(['0 Opening', '11 Talk', '20 Questions'])
    expect(shown(decide(merge, 'theirs').chapters)).toEqual(['0 Opening', '11 Discussion', '20 Questions'])
  })

  it('if both have moved and renamed the same chapter, which therefore has another id', () => {
    const merge = mergeChapters({
      base,
      mine: change(same, 1, { title: 'Talk' }),
      theirs: [saved(1, 'Opening', 0), saved(9, 'Discussion', 12_000), saved(3, 'Questions', 20_000)],
    })
    expect(merge.conflicts).toMatchObject([{ key: 'b', kind: 'changed', theirs: { title: 'Discussion' } }])
  })

  it('if one has deleted what the other has changed', () => {
    const deleted = mergeChapters({ base, mine: same.slice(0, 2), theirs: change(theirs, 2, { title: 'Answers' }) })
    expect(deleted.conflicts).toMatchObject([{ kind: 'deleted', theirs: { title: 'Answers' } }])
    expect(deleted.conflicts[0]?.mine).toBeUndefined()
    expect(shown(decide(deleted, 'mine').chapters)).toEqual(['0 Opening', '10 Interview'])
    expect(shown(decide(deleted, 'theirs').chapters)).toEqual(['0 Opening', '10 Interview', '20 Answers'])
    const changed = mergeChapters({ base, mine: change(same, 2, { title: 'Answers' }), theirs: theirs.slice(0, 2) })
    expect(changed.conflicts).toMatchObject([{ kind: 'deleted', mine: { title: 'Answers' } }])
  })

  it('if two chapters start at the same time, of which both can be kept', () => {
    const merge = mergeChapters({
      base,
      mine: [...same, { key: 'n', title: 'Credits', startMs: 50_000 }],
      theirs: [...theirs, saved(4, 'Panel', 50_000)],
    })
    expect(merge.conflicts).toMatchObject([{ kind: 'same-start', mine: { title: 'Credits' } }])
    expect(shown(decide(merge, 'both').chapters).slice(3)).toEqual(['50 Panel', '50.04 Credits'])
    expect(shown(decide(merge, 'mine').chapters).slice(3)).toEqual(['50 Credits'])
    expect(shown(decide(merge, 'theirs').chapters).slice(3)).toEqual(['50 Panel'])
  })

  it('if a decision puts a chapter where another one is', () => {
    const merge = mergeChapters({
      base,
      mine: change(same, 1, { startMs: 15_000 }),
      theirs: [...change(theirs, 1, { startMs: 12_000 }), saved(4, 'Panel', 15_000)],
    })
    const decided = decide(merge, 'mine')
    expect(decided.conflicts).toMatchObject([
      { kind: 'same-start', mine: { title: 'Interview' }, theirs: { title: 'Panel' } },
    ])
    expect(shown(decide(decided, 'both').chapters)).toContain('15.04 Interview')
  })

  it('if decisions put three chapters at the same time, one after the other', () => {
    const chapter = (key: string): Chapter => ({ key, title: key, startMs: 5000 })
    const conflicts = ['x', 'y'].map((key) => ({ key, kind: 'deleted' as const, mine: chapter(key) }))
    const merge = { base: [], chapters: [chapter('z')], conflicts, theirChanges: 2 }
    const first = decide(merge, 'mine')
    expect(first.conflicts).toHaveLength(1)
    expect(shown(decide(decide(first, 'both'), 'both').chapters)).toHaveLength(3)
  })
})
