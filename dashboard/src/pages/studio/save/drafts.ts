/** Unsaved chapters, kept in the browser for a reload. */
import { CHAPTERS_MAX, type Chapters } from '../chapters/chapter-edits.ts'
import type { BaseChapter } from './chapter-merge.ts'

export type Draft = {
  /** The saved state from which the user started. */
  readonly etag: string
  readonly base: readonly BaseChapter[]
  readonly chapters: Chapters
  /** Time of the last change, in milliseconds. */
  readonly changedAt: number
}

/** Of one video and one member: members of one computer do not see the drafts of others. */
export type DraftKey = { readonly organization: string; readonly member: string; readonly asset: string }

const PREFIX = 'reelkeep.chapters.'
/** The drafts that were changed first are dropped. One has at most 200 KB, and browsers keep 5 MB. */
const DRAFTS_MAX = 12

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

const nameOf = ({ organization, member, asset }: DraftKey) => `${PREFIX}${organization}.${member}.${asset}`

export function readDraft(store: Store, key: DraftKey): Draft | undefined {
  return parsed(store.getItem(nameOf(key)))
}

export function deleteDraft(store: Store, key: DraftKey): void {
  store.removeItem(nameOf(key))
}

/** Returns whether the draft was kept. */
export function writeDraft(store: Store, key: DraftKey, draft: Draft): boolean {
  const name = nameOf(key)
  const older = drafts(store)
    .filter((one) => one.name !== name)
    .toSorted((one, other) => one.changedAt - other.changedAt)
  for (const { name: oldest } of older.slice(0, Math.max(0, older.length - DRAFTS_MAX + 1))) store.removeItem(oldest)
  try {
    store.setItem(name, JSON.stringify(draft))
    return true
  } catch {
    // The storage is full or disabled. The page still asks before it is left.
    return false
  }
}

function drafts(store: Store) {
  const names = Array.from({ length: store.length }, (_, index) => store.key(index) ?? '')
  return names
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => ({ name, changedAt: parsed(store.getItem(name))?.changedAt ?? 0 }))
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const isChapter = (value: unknown) =>
  isObject(value) &&
  typeof value['key'] === 'string' &&
  typeof value['title'] === 'string' &&
  Number.isInteger(value['startMs'])

const areChapters = (value: unknown): value is Chapters =>
  Array.isArray(value) && value.length <= CHAPTERS_MAX && value.every(isChapter)

const isDraft = (value: unknown): value is Draft =>
  isObject(value) &&
  typeof value['etag'] === 'string' &&
  typeof value['changedAt'] === 'number' &&
  areChapters(value['base']) &&
  value['base'].every((chapter) => 'id' in chapter && Number.isInteger(chapter.id)) &&
  areChapters(value['chapters'])

/** Undefined for what another version of the dashboard has written. */
function parsed(text: string | null): Draft | undefined {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    return isDraft(value) ? value : undefined
  } catch {
    return undefined
  }
}
