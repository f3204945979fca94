/** Random changes to the chapters of a video, compared with a simple model. */
import type { chapters as contract, Page, Problem } from '@reelkeep/contract'
import { probedAsset, randomRun, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import fc from 'fast-check'
import { expect, it } from 'vitest'

type Chapter = { readonly title: string; readonly second: number }
type Change =
  | { readonly kind: 'add' | 'put'; readonly chapters: readonly Chapter[] }
  | { readonly kind: 'patch'; readonly nth: number; readonly to: Partial<Chapter> }
  | { readonly kind: 'delete'; readonly nth: number }

/** Number of possible starts: few, so that chapters collide. The last ones are after the end of the video. */
const SECONDS = 6
const DURATION_SECONDS = 4.5

const chapter = fc.record({
  title: fc.constantFrom('a', 'b', 'c'),
  second: fc.integer({ min: 0, max: SECONDS - 1 }),
})
/** Generates lists of chapters, most of them valid. */
const chapters = (minLength: number) =>
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.uniqueArray(chapter, { minLength, maxLength: 3, selector: (c) => c.second }),
    },
    { weight: 1, arbitrary: fc.array(chapter, { minLength, maxLength: 3 }) },
  )
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), chapters: chapters(1) }),
  fc.record({ kind: fc.constant('put' as const), chapters: chapters(0) }),
  fc.record({ kind: fc.constant('patch' as const), nth: fc.nat(4), to: chapter }),
  fc.record({ kind: fc.constant('delete' as const), nth: fc.nat(4) }),
)

/** The expected chapters by id. */
class Model {
  readonly chapters = new Map<number, Chapter>()
  lastId = 0

  idAt(second: number): number | undefined {
    return [...this.chapters].find(([, chapter]) => chapter.second === second)?.[0]
  }

  /** Returns the id of an existing chapter, or an unknown id. */
  nth(index: number): number {
    return [...this.chapters.keys()].sort((a, b) => a - b)[index] ?? this.lastId + 1 + index
  }

  get list() {
    return [...this.chapters]
      .map(([id, { title, second }]) => ({ id, title, start_time: timecode(second), start_seconds: second }))
      .sort((a, b) => (a.start_time < b.start_time ? -1 : 1))
  }

  add(chapters: readonly Chapter[]): void {
    for (const chapter of chapters.toSorted((a, b) => a.second - b.second)) {
      this.lastId += 1
      this.chapters.set(this.lastId, chapter)
    }
  }

  /** Applies the change if it is valid, and returns the expected status. */
  make(change: Change): number {
    if (change.kind === 'delete') return this.chapters.delete(this.nth(change.nth)) ? 204 : 404
    if (change.kind === 'patch') return this.#patch(this.nth(change.nth), change.to)
    const seconds = change.chapters.map(({ second }) => second)
    const isFit = new Set(seconds).size === seconds.length && seconds.every(isInside)
    if (change.kind === 'put') return isFit ? this.#put(change.chapters) : 400
    if (!isFit || seconds.some((second) => this.idAt(second))) return 400
    this.add(change.chapters)
    return 201
  }

  #put(chapters: readonly Chapter[]): number {
    const matching = chapters.flatMap((chapter) => {
      const id = this.idAt(chapter.second)
      return id === undefined ? [] : [[id, chapter] as const]
    })
    const fresh = chapters.filter(({ second }) => this.idAt(second) === undefined)
    this.chapters.clear()
    for (const [id, chapter] of matching) this.chapters.set(id, chapter)
    this.add(fresh)
    return 200
  }

  #patch(id: number, to: Partial<Chapter>): number {
    const before = this.chapters.get(id)
    if (!before) return 404
    const after = { ...before, ...to }
    const holder = this.idAt(after.second)
    if (!isInside(after.second) || (holder !== undefined && holder !== id)) return 400
    this.chapters.set(id, after)
    return 200
  }
}

const isInside = (second: number) => second < DURATION_SECONDS
const timecode = (second: number) => `00:00:${String(second).padStart(2, '0')}`
const toWire = ({ title, second }: Chapter) => ({ title, start_time: timecode(second) })

const testApi = await opened(TestApi.open())
const caller = await testApi.newOrganization()

function send(list: string, change: Change, id: number) {
  if (change.kind === 'delete') return caller.delete(`${list}${id}/`)
  if (change.kind === 'patch') {
    return caller.patch(`${list}${id}/`, toWire({ title: 'x', second: 0, ...change.to }))
  }
  const body = { chapters: change.chapters.map(toWire) }
  return caller.send<Problem>(change.kind === 'put' ? 'PUT' : 'POST', list, body)
}

it('every sequence of changes to chapters has the same result in the API as in the model', async () => {
  const property = fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 20 }), async (changes) => {
    const { asset } = await probedAsset(caller, { durationSeconds: DURATION_SECONDS })
    const list = `assets/${asset.id}/chapters/`
    const model = new Model()
    for (const change of changes) {
      const id = 'nth' in change ? model.nth(change.nth) : 0
      const { status } = await send(list, change, id)
      expect(status).toBe(model.make(change))
      const { body } = await caller.get<Page<contract.Chapter>>(list)
      expect(body.results).toEqual(model.list)
    }
  })
  await fc.assert(property, { numRuns: 60, seed: randomRun.seed })
})
