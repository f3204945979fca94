/**
 * Two editors of the dashboard change the chapters or captions of one video and save them at the same time, with the
 * real API. They go on editing while their requests are on the way. Nothing that a user has written may be lost unless
 * a user replaced it, deleted it, or decided against it.
 */
import { Caller, newOrganization, openOwner, probedAsset, stackEnv } from '@reelkeep/testkit'
import { InProcessApi } from '@reelkeep/testkit/in-process-api'
import { opened } from '@reelkeep/testkit/vitest'
import { Reelkeep } from 'reelkeep'
import { afterAll, expect, it } from 'vitest'
import { insertedCue, withoutCue, withText } from '../../../dashboard/src/pages/captions/cues/cue-list.ts'
import { readCaptions, saveCaptions } from '../../../dashboard/src/pages/captions/save/caption-requests.ts'
import {
  type CaptionState,
  contradictedCaptions,
  decideCaptions,
  editCues,
  hasChanges,
  initialCaptions,
  newCueKey,
  savedCaptions,
} from '../../../dashboard/src/pages/captions/save/caption-state.ts'
import { added, removed, renamed } from '../../../dashboard/src/pages/studio/chapters/chapter-edits.ts'
import { readChapterSet, saveChapters } from '../../../dashboard/src/pages/studio/save/chapter-set.ts'
import {
  contradicted,
  decide,
  type EditorState,
  edit,
  initialState,
  isChanged,
  saved,
} from '../../../dashboard/src/pages/studio/save/editor-state.ts'

const INTERLEAVINGS = 100
const MILLISECONDS_MAX = 600_000
const STEPS = 6
const ROUNDS_MAX = 40

const env = stackEnv()
const api = await opened(InProcessApi.start({}, env))
const owner = openOwner(env)
afterAll(() => owner[Symbol.asyncDispose]())
const { organizationId, token } = await newOrganization(owner)
const client = new Reelkeep({ url: api.baseUrl, organization: organizationId, token })
const caller = new Caller(
  async ({ method, path, headers, body }) => {
    const response = await fetch(new URL(path, api.baseUrl), { method, headers, ...(body && { body }) })
    return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() }
  },
  organizationId,
  token,
)

/** The same numbers for the same seed, so that an interleaving can be repeated. */
function randomOf(seed: number): (below: number) => number {
  let state = (seed + 1) * 0x9e37_79b1
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b_3c6d) + 0x6d2b_79f5) | 0
    return ((state ^ (state >>> 13)) >>> 0) % below
  }
}

type Kind = 'add' | 'write' | 'delete'
type Change = { readonly kind: Kind; readonly index: number; readonly word: string; readonly ms: number }

/** One user in front of one editor. */
type Editor = {
  readonly texts: () => readonly string[]
  readonly change: (change: Change) => void
  /** Sends a save, during which the user continues, and decides conflicts in favor of this user. */
  readonly save: () => Promise<void>
  readonly isClean: () => boolean
}

type Decisions = { readonly written: Set<string>; readonly given: Set<string>; conflicts: number }

const giveUp = ({ given }: Decisions, text: string | undefined) => {
  if (text !== undefined) given.add(text)
}

async function chapterEditor(assetId: string, decisions: Decisions): Promise<Editor> {
  let state: EditorState = initialState(await readChapterSet(client, assetId), undefined)
  const present = () => state.history.present
  const settle = () => {
    while (state.pending) {
      const { conflicts } = state.pending.merge
      decisions.conflicts += conflicts.length
      for (const { theirs } of conflicts) giveUp(decisions, theirs?.title)
      state = decide(new Map(conflicts.map(({ key }) => [key, 'mine'])), (ms) => ms + 40)(state)
    }
  }
  return {
    texts: () => present().map(({ title }) => title),
    isClean: () => !isChanged(state),
    change: ({ kind, index, word, ms }) => {
      const { key, title } = present()[index % Math.max(1, present().length)] ?? {}
      if (kind === 'add' && present().some(({ startMs }) => startMs === ms)) return
      if (kind === 'add') state = edit((chapters) => added(chapters, [{ key: word, title: word, startMs: ms }]))(state)
      else if (key === undefined) return
      else if (kind === 'delete') state = edit((chapters) => removed(chapters, key))(state)
      else state = edit((chapters) => renamed(chapters, key, word))(state)
      if (kind !== 'add') giveUp(decisions, title)
      if (kind !== 'delete' && present().some((chapter) => chapter.title === word)) decisions.written.add(word)
    },
    save: async () => {
      const { base } = state
      const sent = present()
      const result = await saveChapters({ client, assetId, base, mine: sent })
      state = (
        result.kind === 'conflict' ? contradicted(result.latest) : saved(result.base, sent, result.theirChanges)
      )(state)
      settle()
    },
  }
}

async function captionEditor(assetId: string, trackId: string, decisions: Decisions): Promise<Editor> {
  const place = { client, assetId, trackId }
  let state: CaptionState = initialCaptions(await readCaptions(place))
  const present = () => state.history.present
  const settle = () => {
    while (state.pending) {
      const { conflicts } = state.pending.merge
      decisions.conflicts += conflicts.length
      for (const { theirs } of conflicts) giveUp(decisions, theirs?.text)
      state = decideCaptions(new Map(conflicts.map(({ key }) => [key, 'mine'])))(state)
    }
  }
  return {
    texts: () => present().map(({ text }) => text),
    isClean: () => !hasChanges(state),
    change: ({ kind, index, word, ms }) => {
      const { key, text } = present()[index % Math.max(1, present().length)] ?? {}
      const newKey = newCueKey()
      if (kind === 'add') state = editCues((cues) => withText(insertedCue(cues, newKey, ms), newKey, word))(state)
      else if (key === undefined || (kind === 'delete' && present().length < 3)) return
      else if (kind === 'delete') state = editCues((cues) => withoutCue(cues, key))(state)
      else state = editCues((cues) => withText(cues, key, word))(state)
      if (kind !== 'add') giveUp(decisions, text)
      if (kind !== 'delete') decisions.written.add(word)
    },
    save: async () => {
      const { base } = state
      const sent = present()
      const result = await saveCaptions(place, { base, mine: sent })
      state = (
        result.kind === 'conflict'
          ? contradictedCaptions(result.latest)
          : savedCaptions({ saved: result.saved, sent, theirChanges: result.theirChanges })
      )(state)
      settle()
    },
  }
}

const kinds: readonly Kind[] = ['add', 'add', 'write', 'write', 'delete']

/** Both users edit and save as they like, until both have saved everything. */
async function interleave(seed: number, editors: readonly Editor[]): Promise<void> {
  const random = randomOf(seed)
  const changeOnce = (editor: Editor, step: number, who: number) =>
    editor.change({
      kind: kinds[random(kinds.length)] ?? 'add',
      index: random(8),
      word: `text-${seed}-${who}-${step}`,
      // Some starts are chosen by both.
      ms: (1 + random(12)) * 40 * (random(3) === 0 ? 100 : 1 + step),
    })
  await Promise.all(
    editors.map(async (editor, who) => {
      for (let step = 0; step < STEPS; step++) {
        changeOnce(editor, 2 * step, who)
        if (random(2) === 0) continue
        const saving = editor.save().catch(refusedFiveTimes)
        if (random(2) === 0) changeOnce(editor, 2 * step + 1, who)
        await saving
      }
    }),
  )
  for (let round = 0; !editors.every((editor) => editor.isClean()); round++) {
    expect(round).toBeLessThan(ROUNDS_MAX)
    const changed = editors.filter((editor) => !editor.isClean())
    await Promise.all(changed.map((editor) => editor.save().catch(refusedFiveTimes)))
  }
}

/** An editor gives up after five attempts, and keeps its changes. */
function refusedFiveTimes(error: unknown): void {
  expect(error).toMatchObject({ code: 'changed_meanwhile' })
}

type Opened = { readonly editors: readonly Editor[]; readonly read: () => Promise<readonly string[]> }

async function nothingIsLost(open: (decisions: Decisions) => Promise<Opened>): Promise<void> {
  let conflicts = 0
  for (let seed = 0; seed < INTERLEAVINGS; seed++) {
    const decisions: Decisions = { written: new Set(), given: new Set(), conflicts: 0 }
    const { editors, read } = await open(decisions)
    for (const text of editors[0]?.texts() ?? []) decisions.written.add(text)
    await interleave(seed, editors)
    const texts = await read()
    const lost = [...decisions.written].filter((text) => !texts.includes(text) && !decisions.given.has(text))
    expect({ seed, lost }).toEqual({ seed, lost: [] })
    conflicts += decisions.conflicts
  }
  // The interleavings are not trivial.
  expect(conflicts).toBeGreaterThan(INTERLEAVINGS / 4)
}

it(
  `nothing is lost in ${INTERLEAVINGS} interleavings of two chapter editors that save at the same time`,
  async () => {
    await nothingIsLost(async (decisions) => {
      const { id } = (await probedAsset(caller)).asset
      const chapters = ['Opening', 'Interview', 'Questions', 'Credits'].map((title, index) => ({
        ...{ title, start_seconds: index * 10 },
      }))
      await client.chapters.replace(id, { chapters })
      return {
        editors: [await chapterEditor(id, decisions), await chapterEditor(id, decisions)],
        read: async () => (await readChapterSet(client, id)).chapters.map(({ title }) => title),
      }
    })
  },
  MILLISECONDS_MAX,
)

const track = `WEBVTT
${['Good evening', 'and welcome', 'to the observatory', 'Any questions?']
  .map((text, index) => `\n00:00:${10 + index * 10}.000 --> 00:00:${14 + index * 10}.000\n${text}\n`)
  .join('')}`

it(
  `nothing is lost in ${INTERLEAVINGS} interleavings of two captions editors that save at the same time`,
  async () => {
    await nothingIsLost(async (decisions) => {
      const { id } = (await probedAsset(caller)).asset
      const { id: trackId } = await client.subtitles.add(id, { language: 'en', content: track })
      return {
        editors: [await captionEditor(id, trackId, decisions), await captionEditor(id, trackId, decisions)],
        read: async () => (await readCaptions({ client, assetId: id, trackId })).cues.map(({ text }) => text),
      }
    })
  },
  MILLISECONDS_MAX,
)
