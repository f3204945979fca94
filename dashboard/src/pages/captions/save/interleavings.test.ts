/**
 * Two editors change the captions of one track and save them in any order. Nothing that a user has written may be lost
 * unless a user replaced it, deleted it, or decided against it in a conflict; and nothing that was deleted may return
 * unless a user decided so or was working on it.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  areSameCues,
  type Cue,
  type Cues,
  insertedCue,
  mergedWithNext,
  splitCue,
  withoutCue,
  withText,
  withTimes,
} from '../cues/cue-list.ts'
import { parseWebVtt, writeWebVtt } from '../formats/webvtt.ts'
import {
  adoptCaptions,
  type CaptionState,
  decideCaptions,
  editCues,
  initialCaptions,
  newCueKey,
} from './caption-state.ts'
import { type CueChoice, mergeCues } from './cue-merge.ts'

const RUNS = 500

/** What the API does: a replacement of the text if it has the version of the editor. */
class Server {
  version = 1
  file: string

  constructor(cues: Cues) {
    this.file = writeWebVtt(cues)
  }

  get saved() {
    return { etag: String(this.version), cues: parseWebVtt(this.file) }
  }

  replace(etag: string, cues: Cues): boolean {
    if (etag !== String(this.version)) return false
    this.file = writeWebVtt(cues)
    this.version++
    return true
  }
}

/** Words that users replaced, deleted or decided against, and those that they chose to keep. */
class Decisions {
  readonly written = new Set<string>()
  readonly given = new Set<string>()
  readonly kept = new Set<string>()
}

const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== '')

type CueEdit = { readonly key: string; readonly word: string; readonly ms: number }

const edits = {
  add: (cues: Cues, { word, ms }: CueEdit) => {
    const key = newCueKey()
    return withText(insertedCue(cues, key, ms), key, word)
  },
  write: (cues: Cues, { key, word }: CueEdit) => withText(cues, key, word),
  append: (cues: Cues, { key, word }: CueEdit) =>
    withText(cues, key, `${cues.find((cue) => cue.key === key)?.text} ${word}`),
  delete: (cues: Cues, { key }: CueEdit) => withoutCue(cues, key),
  move: (cues: Cues, { key, ms }: CueEdit) => withTimes(cues, key, { startMs: ms }),
  split: (cues: Cues, { key }: CueEdit) => splitCue(cues, { key, newKey: newCueKey() }),
  merge: (cues: Cues, { key }: CueEdit) => mergedWithNext(cues, key),
}

class Editor {
  state: CaptionState
  readonly #server: Server
  readonly #decisions: Decisions

  constructor(server: Server, decisions: Decisions) {
    this.#server = server
    this.#decisions = decisions
    this.state = initialCaptions(server.saved)
  }

  get isClean() {
    const { base, history } = this.state
    return areSameCues(base.cues, history.present) && base.etag === String(this.#server.version)
  }

  edit(edit: Edit): void {
    const { present: cues } = this.state.history
    const cue = cues[edit.index % Math.max(1, cues.length)]
    if (!cue && edit.kind !== 'add') return
    const { written, given, kept } = this.#decisions
    if (['add', 'write', 'append'].includes(edit.kind)) written.add(edit.word)
    // An editor who works on a text keeps it, also if the other one deletes it meanwhile; so do those that are joined.
    const touched = cue && edit.kind !== 'add' ? cues.slice(cues.indexOf(cue), cues.indexOf(cue) + 2) : []
    const isGiven = edit.kind === 'write' || edit.kind === 'delete'
    for (const { text } of isGiven ? touched.slice(0, 1) : touched)
      for (const word of wordsOf(text)) (isGiven ? given : kept).add(word)
    this.state = editCues((current) => edits[edit.kind](current, { ...edit, key: cue?.key ?? '' }))(this.state)
  }

  /** One attempt. If it fails, the next one follows later, and the other editor may be faster again. */
  save(choose: () => CueChoice): void {
    const { base, history } = this.state
    if (areSameCues(base.cues, history.present)) {
      this.state = adoptCaptions(this.#server.saved)(this.state)
    } else if (this.#server.replace(base.etag, history.present)) {
      this.#replaceBase(history.present)
    } else {
      const { etag, cues: theirs } = this.#server.saved
      const merge = mergeCues({ base: base.cues, mine: history.present, theirs, newKey: newCueKey })
      const choices = new Map(
        merge.conflicts.map(({ key, mine, theirs: other }) => [key, this.#choose(choose(), mine, other)]),
      )
      this.state = decideCaptions(choices)({ ...this.state, pending: { etag, merge } })
      expect(this.state.pending).toBeUndefined()
    }
  }

  #replaceBase(cues: Cues): void {
    const kept = cues.filter(({ text }) => text.trim() !== '')
    this.state = { ...this.state, base: { etag: String(this.#server.version), cues: kept } }
    if (kept.length < cues.length) this.state = editCues(() => kept)(this.state)
  }

  #choose(choice: CueChoice, mine: Cue | undefined, theirs: Cue | undefined): CueChoice {
    const [kept, lost] = choice === 'mine' ? [mine, theirs] : [theirs, mine]
    for (const word of wordsOf(lost?.text ?? '')) this.#decisions.given.add(word)
    for (const word of wordsOf(kept?.text ?? '')) this.#decisions.kept.add(word)
    return choice
  }
}

type Edit = {
  readonly kind: keyof typeof edits
  readonly index: number
  /** Unique. */
  readonly word: string
  readonly ms: number
}

const step = fc.record({
  editor: fc.constantFrom(0, 1),
  kind: fc.constantFrom('add', 'write', 'append', 'delete', 'move', 'split', 'merge', 'save', 'save', 'save'),
  index: fc.nat(9),
  ms: fc.nat(400).map((tenths) => tenths * 100),
})
const choices = fc.array(fc.constantFrom<CueChoice>('mine', 'theirs'), { minLength: 1, maxLength: 10 })

it(`nothing is lost in ${RUNS} random interleavings of two editors`, () => {
  let conflicts = 0
  let merges = 0
  const property = fc.property(fc.array(step, { minLength: 10, maxLength: 60 }), choices, (steps, answers) => {
    const texts = ['Good evening', 'and welcome', 'to the observatory', 'Any questions?']
    const start = texts.map((text, index) => ({
      ...{ key: text, text, startMs: index * 10_000, endMs: index * 10_000 + 4000 },
      ...{ speaker: '', settings: '' },
    }))
    const [server, decisions] = [new Server(start), new Decisions()]
    for (const text of texts) for (const word of wordsOf(text)) decisions.written.add(word)
    const editors = [new Editor(server, decisions), new Editor(server, decisions)]
    const choose = () => answers[conflicts++ % answers.length] ?? 'mine'
    const save = (editor: Editor | undefined) => {
      if (editor?.state.base.etag !== String(server.version)) merges++
      editor?.save(choose)
    }
    steps.forEach(({ editor, kind, index, ms }, number) => {
      if (kind === 'save') save(editors[editor])
      else editors[editor]?.edit({ kind, index, ms, word: `word${number}` })
    })
    for (let round = 0; !editors.every(({ isClean }) => isClean); round++) {
      expect(round).toBeLessThan(10)
      for (const editor of editors) save(editor)
    }
    const words = server.saved.cues.flatMap(({ text }) => wordsOf(text))
    const found = new Set(words)
    const lost = [...decisions.written].filter((word) => !found.has(word) && !decisions.given.has(word))
    const returned = words.filter((word) => decisions.given.has(word) && !decisions.kept.has(word))
    expect({ lost, returned }).toEqual({ lost: [], returned: [] })
  })
  fc.assert(property, { numRuns: RUNS, seed: 25 })
  // The interleavings are not trivial.
  expect(merges).toBeGreaterThan(RUNS)
  expect(conflicts).toBeGreaterThan(RUNS / 2)
})
