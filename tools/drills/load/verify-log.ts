/**
 * Verifies the acknowledged changes in the event log, which keeps every step, so that a later change cannot hide an
 * earlier one: neither a rename by the next, nor a lost creation by its deletion. Each must be logged once, in the
 * order of the requests.
 */
import type { events } from '@reelkeep/contract'
import type { Caller } from '@reelkeep/testkit'
import type { Field, FieldChange, LoadRecord } from './load-record.ts'

export type Findings = {
  readonly lost: string[]
  readonly doubled: string[]
  readonly wrong: string[]
}

/** Far more than a drill has events. */
const LOG_PAGES_MAX = 2000

export async function readLog(caller: Caller): Promise<events.Event[]> {
  const log: events.Event[] = []
  for (let page = 0; page < LOG_PAGES_MAX; page++) {
    const after = log.at(-1)?.number ?? 0
    const { status, body, text } = await caller.get<{ results: events.Event[]; has_more: boolean }>(
      `events/?limit=1000&after=${after}`,
    )
    if (status !== 200) throw new Error(`Reading the event log returned ${text}`)
    log.push(...body.results)
    if (!body.has_more) break
  }
  return log
}

export function verifyLog(found: Findings, record: LoadRecord, log: readonly events.Event[]): void {
  log.forEach(({ number }, index) => {
    if (number !== index + 1)
      found.wrong.push(`event ${number} is at position ${index + 1} of the log`)
  })
  verifyCreations(found, record, log)
  verifyChanges(found, record, log)
  const completions = log.filter(({ type }) => type === 'asset.completed')
  for (const [id, those] of Map.groupBy(completions, ({ asset_id }) => asset_id)) {
    if (those.length > 1) found.doubled.push(`asset ${id} completed ${those.length} times`)
  }
  const newest = log.length
  const { lastNumber } = record.stream
  if (lastNumber > newest)
    found.lost.push(`event ${lastNumber} was received, the log ends at ${newest}`)
}

function verifyCreations(found: Findings, record: LoadRecord, log: readonly events.Event[]): void {
  const creations = log.flatMap(statesOf).filter(({ isCreation }) => isCreation)
  const created = Map.groupBy(creations, ({ type, title }) => `${type} ${title}`)
  for (const [what, those] of created) {
    if (those.length > 1) found.doubled.push(`${what}: ${those.length} times`)
  }
  for (const { type, title, at } of record.creations) {
    if (created.has(`${type} ${title}`)) continue
    found.lost.push(`${type} ${title}, acknowledged at ${timeOf(at)}`)
  }
}

function verifyChanges(found: Findings, record: LoadRecord, log: readonly events.Event[]): void {
  const told = Map.groupBy(log.flatMap(statesOf), ({ thing }) => thing)
  const verify = (thing: string, title: Field, parent?: Field) => {
    const states = told.get(thing) ?? []
    const changes = states.filter(({ isCreation }) => !isCreation).length
    const asked = title.changes.length + (parent?.changes.length ?? 0)
    if (changes > asked)
      found.doubled.push(`${thing}: ${changes} changes in the log, ${asked} requested`)
    verifyField(
      found,
      `title of ${thing}`,
      title,
      states.map((state) => state.title),
    )
    if (!parent) return
    verifyField(
      found,
      `place of ${thing}`,
      parent,
      states.map((state) => state.parent),
    )
  }
  for (const { uuid, title, parent } of record.folders) verify(`folder ${uuid}`, title, parent)
  for (const { id, title, folder, chapters } of record.assets) {
    verify(`asset ${id}`, title, folder)
    for (const chapter of chapters.values()) verify(`chapter ${chapter.id} of ${id}`, chapter.title)
  }
}

/** Required changes must appear in this order, and only requested changes may appear, in that order. */
function verifyField(
  found: Findings,
  what: string,
  { first, changes }: Field,
  states: readonly (string | null)[],
): void {
  const seen = states.filter((state, index) => state !== (index === 0 ? first : states[index - 1]))
  const lost = notInOrder(
    changes.filter(({ isTold }) => isTold),
    (one) => one.to,
    seen,
  )
  found.lost.push(...lost.map((one) => `${what}: the change to ${inWords(one)}`))
  const asked = changes.map(({ to }) => to)
  for (const value of notInOrder(seen, (one) => one, asked)) {
    const isRepeated = value === first || asked.includes(value)
    const fault = `${what}: became ${value}, which was not requested then`
    found[isRepeated ? 'doubled' : 'wrong'].push(fault)
  }
}

/** The items without a match in `values`; each value matches once, and matches are in order. */
function notInOrder<Item>(
  items: readonly Item[],
  wanted: (item: Item) => string | null,
  values: readonly (string | null)[],
): Item[] {
  let next = 0
  return items.filter((item) => {
    const index = values.indexOf(wanted(item), next)
    if (index >= 0) next = index + 1
    return index < 0
  })
}

const inWords = ({ to, at }: FieldChange) => `${to}, acknowledged at ${timeOf(at)}`

const timeOf = (at: number) => new Date(at).toISOString()

/** The state of a resource from an event on. */
type State = {
  readonly thing: string
  readonly type: string
  readonly isCreation: boolean
  /** Null if deleted. */
  readonly title: string | null
  readonly parent: string | null
}

function statesOf({ type, data }: events.Event): State[] {
  const isCreation = type.endsWith('.created')
  if (type === 'folder.created' || type === 'folder.updated') {
    const { uuid, title, parent } = data as events.EventData['folder.updated']
    return [{ thing: `folder ${uuid}`, type, isCreation, title, parent }]
  }
  if (type === 'asset.created' || type === 'asset.updated') {
    const { id, title, parent_id: parent } = data as events.EventData['asset.updated']
    return [{ thing: `asset ${id}`, type, isCreation, title, parent }]
  }
  if (!type.startsWith('chapter.')) return []
  const { asset_id, chapters } = data as events.EventData['chapter.updated']
  return chapters.map(({ id, title }) => ({
    ...{ thing: `chapter ${id} of ${asset_id}`, type, isCreation, parent: null },
    title: type === 'chapter.deleted' ? null : title,
  }))
}
