import { expect, it } from 'vitest'
import { type Draft, type DraftKey, deleteDraft, readDraft, writeDraft } from './drafts.ts'

class MemoryStore {
  readonly #entries = new Map<string, string>()
  bytesMax = Number.POSITIVE_INFINITY
  get length() {
    return this.#entries.size
  }
  key = (index: number) => [...this.#entries.keys()][index] ?? null
  getItem = (name: string) => this.#entries.get(name) ?? null
  removeItem = (name: string) => void this.#entries.delete(name)
  setItem = (name: string, text: string) => {
    if (text.length > this.bytesMax) throw new Error('QuotaExceededError')
    this.#entries.set(name, text)
  }
}

const keyOf = (asset: string, member = 'm1'): DraftKey => ({ organization: 'acme12', member, asset })
const draftAt = (changedAt: number): Draft => ({
  ...{ etag: '"1"', changedAt },
  base: [{ id: 1, key: 'id-1', title: 'Opening', startMs: 0 }],
  chapters: [{ key: 'id-1', title: 'Welcome', startMs: 0 }],
})

it('a draft is read again by the same member only', () => {
  const store = new MemoryStore()
  writeDraft(store, keyOf('a'), draftAt(1))
  expect(readDraft(store, keyOf('a'))).toEqual(draftAt(1))
  expect(readDraft(store, keyOf('a', 'm2'))).toBeUndefined()
  expect(readDraft(store, keyOf('b'))).toBeUndefined()
  deleteDraft(store, keyOf('a'))
  expect(readDraft(store, keyOf('a'))).toBeUndefined()
})

it('the oldest drafts are dropped', () => {
  const store = new MemoryStore()
  store.setItem('reelkeep.theme', 'dark')
  for (let index = 0; index < 20; index++) writeDraft(store, keyOf(`asset-${index}`), draftAt(index))
  expect(store.length).toBe(13)
  expect(readDraft(store, keyOf('asset-7'))).toBeUndefined()
  expect(readDraft(store, keyOf('asset-8'))).toBeDefined()
  expect(store.getItem('reelkeep.theme')).toBe('dark')
})

it('a full storage is reported', () => {
  const store = new MemoryStore()
  store.bytesMax = 10
  expect(writeDraft(store, keyOf('a'), draftAt(1))).toBe(false)
})

it.each(['', 'null', '{}', '[1]', '{"etag":"x","changedAt":1,"base":[{}],"chapters":[]}', 'no JSON'])(
  'what is not a draft is ignored: %j',
  (text) => {
    const store = new MemoryStore()
    store.setItem('reelkeep.chapters.acme12.m1.a', text)
    expect(readDraft(store, keyOf('a'))).toBeUndefined()
  },
)
