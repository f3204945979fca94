/**
 * Two editors change the chapters of one video and save them in any order. Nothing that a user has written may be lost
 * unless a user replaced it, deleted it, or decided against it in a conflict; and nothing that was deleted may return
 * unless a user decided so.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { added, areSame, type Chapter, type Chapters, removed, sorted } from '../chapters/chapter-edits.ts'
import {
  type BaseChapter,
  type Choice,
  keyOfSaved,
  type Merge,
  mergeChapters,
  resolveConflicts,
  type SavedChapter,
} from './chapter-merge.ts'

const RUNS = 500

/** What the API does: a replacement of all chapters, in which a chapter with the same start keeps its id. */
class Server {
  version = 1
  chapters: readonly SavedChapter[] = []
  #lastId = 0

  replace(version: number, chapters: Chapters): boolean {
    if (version !== this.version) return false
    const ids = new Map(this.chapters.map(({ startMs, id }) => [startMs, id]))
    expect(new Set(chapters.map(({ startMs }) => startMs)).size).toBe(chapters.length)
    this.chapters = sorted(
      chapters.map(({ title, startMs }) => ({ title, startMs, id: ids.get(startMs) ?? ++this.#lastId })),
    )
    this.version++
    return true
  }
}

/** What users did on purpose: values that they replaced, deleted or decided against, and those that they kept. */
class Decisions {
  readonly written = new Set<string | number>()
  readonly given = new Set<string | number>()
  readonly kept = new Set<string | number>()
  giveUp = (...values: readonly (string | number)[]) => values.forEach((value) => void this.given.add(value))
  keep = (...values: readonly (string | number)[]) => values.forEach((value) => void this.kept.add(value))
}

class Editor {
  base: readonly BaseChapter[] = []
  chapters: Chapters = []
  version = 1
  readonly #server: Server
  readonly #decisions: Decisions

  constructor(server: Server, decisions: Decisions) {
    this.#server = server
    this.#decisions = decisions
    this.base = server.chapters.map((chapter) => ({ ...chapter, key: keyOfSaved(chapter.id) }))
    this.chapters = this.base.map(({ key, title, startMs }) => ({ key, title, startMs }))
    this.version = server.version
  }

  get isClean() {
    return areSame(this.base, this.chapters) && this.version === this.#server.version
  }

  edit({ kind, index, value, start }: Edit): void {
    const chapter = this.chapters[index % Math.max(1, this.chapters.length)]
    const change = (values: Partial<Chapter>) => {
      this.chapters = sorted(this.chapters.map((one) => (one === chapter ? { ...one, ...values } : one)))
    }
    if (kind === 'add') {
      if (this.chapters.some(({ startMs }) => startMs === start)) return
      this.#decisions.written.add(value)
      this.chapters = added(this.chapters, [{ key: value, title: value, startMs: start }])
    } else if (!chapter) return
    else if (kind === 'delete') {
      this.#decisions.giveUp(chapter.title, chapter.startMs)
      this.chapters = removed(this.chapters, chapter.key)
    } else if (kind === 'rename') {
      this.#decisions.giveUp(chapter.title)
      this.#decisions.written.add(value)
      change({ title: value })
    } else if (!this.chapters.some(({ startMs }) => startMs === start)) {
      this.#decisions.giveUp(chapter.startMs)
      this.#decisions.written.add(start)
      change({ startMs: start })
    }
  }

  /** One attempt. If it fails, the next one follows later, and the other editor may be faster again. */
  save(choice: (index: number) => Choice): void {
    if (this.isClean) return
    if (this.#server.replace(this.version, this.chapters)) {
      const keys = new Map(this.chapters.map(({ startMs, key }) => [startMs, key]))
      this.base = this.#server.chapters.map((saved) => ({ ...saved, key: keys.get(saved.startMs) ?? '' }))
      this.version = this.#server.version
      return
    }
    let merge = mergeChapters({ base: this.base, mine: this.chapters, theirs: this.#server.chapters })
    for (let round = 0; merge.conflicts.length > 0; round++) {
      expect(round).toBeLessThan(50)
      merge = this.#decide(merge, (index) => choice(index + round))
    }
    this.base = merge.base
    this.chapters = merge.chapters
    this.version = this.#server.version
  }

  #decide(merge: Merge, choice: (index: number) => Choice): Merge {
    const choices = new Map<string, Choice>()
    merge.conflicts.forEach(({ key, kind, mine, theirs }, index) => {
      const wanted = choice(index)
      const chosen = wanted === 'both' && kind !== 'same-start' ? 'mine' : wanted
      choices.set(key, chosen)
      const values = (chapter?: Chapter) => (chapter ? [chapter.title, chapter.startMs] : [])
      if (chosen === 'both') this.#decisions.giveUp(mine?.startMs ?? 0)
      else this.#decisions.giveUp(...values(chosen === 'mine' ? theirs : mine))
      if (chosen !== 'theirs') this.#decisions.keep(...values(mine))
      if (chosen !== 'mine') this.#decisions.keep(...values(theirs))
    })
    return resolveConflicts(merge, choices, (ms) => ms + 1)
  }
}

type Edit = {
  readonly kind: 'add' | 'rename' | 'move' | 'delete'
  readonly index: number
  /** Unique. */
  readonly value: string
  /** Unique, except that of some added chapters. */
  readonly start: number
}

const step = fc.record({
  editor: fc.constantFrom(0, 1),
  kind: fc.constantFrom('add', 'add', 'rename', 'move', 'delete', 'save', 'save'),
  index: fc.nat(9),
  seconds: fc.nat(40),
  isSharedStart: fc.boolean(),
})
const choices = fc.array(fc.constantFrom<Choice>('mine', 'theirs', 'both'), { minLength: 1, maxLength: 10 })

it(`nothing is lost in ${RUNS} random interleavings of two editors`, () => {
  let conflicts = 0
  let merges = 0
  const property = fc.property(fc.array(step, { minLength: 10, maxLength: 60 }), choices, (steps, answers) => {
    const [server, decisions] = [new Server(), new Decisions()]
    const start = ['Opening', 'Interview', 'Questions', 'Credits']
    server.replace(
      1,
      start.map((title, index) => ({ key: title, title, startMs: index * 10_000 })),
    )
    for (const { title } of server.chapters) decisions.written.add(title)
    const editors = [new Editor(server, decisions), new Editor(server, decisions)]
    const choice = (index: number) => {
      conflicts++
      return answers[index % answers.length] ?? 'mine'
    }
    const save = (editor: Editor | undefined) => {
      if (editor?.version !== server.version) merges++
      editor?.save(choice)
    }
    steps.forEach(({ editor, kind, index, seconds, isSharedStart }, number) => {
      if (kind === 'save') {
        save(editors[editor])
        return
      }
      const isShared = kind === 'add' && isSharedStart
      const startMs = seconds * 1000 + (isShared ? 500 : number + 1)
      editors[editor]?.edit({ kind, index, value: `text ${number}`, start: startMs })
    })
    for (let round = 0; !editors.every(({ isClean }) => isClean); round++) {
      expect(round).toBeLessThan(10)
      for (const editor of editors) save(editor)
    }
    const titles = server.chapters.map(({ title }) => title)
    const found = new Set<string | number>([...titles, ...server.chapters.map(({ startMs }) => startMs)])
    const lost = [...decisions.written].filter((value) => !found.has(value) && !decisions.given.has(value))
    const returned = titles.filter((value) => decisions.given.has(value) && !decisions.kept.has(value))
    expect({ lost, returned }).toEqual({ lost: [], returned: [] })
    expect(new Set(titles).size).toBe(titles.length)
  })
  fc.assert(property, { numRuns: RUNS, seed: 25 })
  // The interleavings are not trivial.
  expect(merges).toBeGreaterThan(RUNS)
  expect(conflicts).toBeGreaterThan(RUNS / 2)
})
