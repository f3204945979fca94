/**
 * Verifies the acknowledged changes in the event log. The log contains every change, so a lost change is found even if
 * a later change hides it. Each change must be logged once, in the order of the requests.
 */
import type { events } from '@reelkeep/contract'
import { isNextNumber } from '../../faults/events/event-log.ts'
import type { Field, FieldChange, LoadRecord } from '../load/load-record.ts'

export type Violations = {
  readonly lost: string[]
  readonly duplicated: string[]
  readonly wrong: string[]
}

export function verifyLog(violations: Violations, record: LoadRecord, log: readonly events.Event[]): void {
  log.forEach(({ number }, index) => {
    if (!isNextNumber(number, log[index - 1]?.number ?? 0))
      violations.wrong.push(`event ${number} is at position ${index + 1} of the log`)
  })
  verifyCreations(violations, record, log)
  verifyChanges(violations, record, log)
  const completions = log.filter(({ type }) => type === 'asset.completed')
  for (const [id, all] of Map.groupBy(completions, ({ asset_id }) => asset_id)) {
    if (all.length > 1) violations.duplicated.push(`asset ${id} completed ${all.length} times`)
  }
  const newest = log.at(-1)?.number ?? 0
  const { lastNumber } = record.stream
  if (lastNumber > newest) violations.lost.push(`event ${lastNumber} was received, the log ends at ${newest}`)
}

function verifyCreations(violations: Violations, record: LoadRecord, log: readonly events.Event[]): void {
  const creations = log.flatMap(statesOf).filter(({ isCreation }) => isCreation)
  const created = Map.groupBy(creations, ({ type, title }) => `${type} ${title}`)
  for (const [what, all] of created) {
    if (all.length > 1) violations.duplicated.push(`${what}: ${all.length} times`)
  }
  for (const { type, title, at } of record.creations) {
    if (created.has(`${type} ${title}`)) continue
    violations.lost.push(`${type} ${title}, acknowledged at ${timeOf(at)}`)
  }
}

function verifyChanges(violations: Violations, record: LoadRecord, log: readonly events.Event[]): void {
  const logged = Map.groupBy(log.flatMap(statesOf), ({ resource }) => resource)
  const verify = (resource: string, title: Field, parent?: Field) => {
    const states = logged.get(resource) ?? []
    const changes = states.filter(({ isCreation }) => !isCreation).length
    const requested = title.changes.length + (parent?.changes.length ?? 0)
    if (changes > requested)
      violations.duplicated.push(`${resource}: ${changes} changes in the log, ${requested} requested`)
    verifyField(
      violations,
      `title of ${resource}`,
      title,
      states.map((state) => state.title),
    )
    if (!parent) return
    verifyField(
      violations,
      `place of ${resource}`,
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

/**
 * Verifies the changes of one field. The log must contain all required changes and no unrequested ones, in the order of
 * the requests.
 */
function verifyField(
  violations: Violations,
  what: string,
  { first, changes }: Field,
  states: readonly (string | null)[],
): void {
  const seen = states.filter((state, index) => state !== (index === 0 ? first : states[index - 1]))
  const lost = notInOrder(
    changes.filter(({ isLogged }) => isLogged),
    (one) => one.to,
    seen,
  )
  violations.lost.push(...lost.map((one) => `${what}: the change to ${describe(one)}`))
  const requested = changes.map(({ to }) => to)
  for (const value of notInOrder(seen, (one) => one, requested)) {
    const isRepeated = value === first || requested.includes(value)
    const violation = `${what}: became ${value}, which was not requested then`
    violations[isRepeated ? 'duplicated' : 'wrong'].push(violation)
  }
}

/** Returns the items without a match in `values`. Each value matches at most one item, and matches are in order. */
function notInOrder<Item>(
  items: readonly Item[],
  toValue: (item: Item) => string | null,
  values: readonly (string | null)[],
): Item[] {
  let next = 0
  return items.filter((item) => {
    const index = values.indexOf(toValue(item), next)
    if (index >= 0) next = index + 1
    return index < 0
  })
}

const describe = ({ to, at }: FieldChange) => `${to}, acknowledged at ${timeOf(at)}`

const timeOf = (at: number) => new Date(at).toISOString()

/** State of a resource after an event. */
type State = {
  readonly resource: string
  readonly type: string
  readonly isCreation: boolean
  /** Title of the resource; null if the resource was deleted. */
  readonly title: string | null
  readonly parent: string | null
}

function statesOf({ type, data }: events.Event): State[] {
  const isCreation = type.endsWith('.created')
  if (type === 'folder.created' || type === 'folder.updated') {
    const { uuid, title, parent } = data as events.EventData['folder.updated']
    return [{ resource: `folder ${uuid}`, type, isCreation, title, parent }]
  }
  if (type === 'asset.created' || type === 'asset.updated') {
    const { id, title, parent_id: parent } = data as events.EventData['asset.updated']
    return [{ resource: `asset ${id}`, type, isCreation, title, parent }]
  }
  if (!type.startsWith('chapter.')) return []
  const { asset_id, chapters } = data as events.EventData['chapter.updated']
  return chapters.map(({ id, title }) => ({
    ...{ resource: `chapter ${id} of ${asset_id}`, type, isCreation, parent: null },
    title: type === 'chapter.deleted' ? null : title,
  }))
}
