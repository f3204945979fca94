/**
 * What a load knows afterwards: what was acknowledged, what was refused or failed and when, and how
 * everything must be now.
 */

/**
 * A request that changes something, one that reads it, a viewer's, a file on its way to storage,
 * the stream of events.
 */
export type Kind = 'write' | 'read' | 'view' | 'file' | 'stream'

/** Refused: "not now", with the time to come back at. Failed: everything else that was not the answer. */
export type Trouble = {
  readonly kind: Kind
  readonly isRefusal: boolean
  /** Milliseconds since 1970, when the request was sent and when it was known to be in vain. */
  readonly sentAt: number
  readonly at: number
  readonly request: string
  /** Absent where there was no answer. */
  readonly status: number | undefined
  readonly detail: string
}

/** What a field of something may be now: one value if its last change was acknowledged, several if nobody ever said. */
type Possible = readonly (string | null)[]

/** As it was asked for. */
export type FieldChange = {
  readonly to: string | null
  readonly at: number
  readonly isAcknowledged: boolean
  /** Whether the log of events must tell it: not where it may have been so before, for then nothing was changed. */
  readonly isTold: boolean
}

export type Field = {
  readonly first: string | null
  readonly changes: FieldChange[]
  /** What it was before, to tell a change that got lost from one that nobody made. */
  readonly past: Set<string | null>
  possible: Possible
  /** When the last change of it was acknowledged. */
  at: number
}

export type FolderRecord = { readonly uuid: string; readonly title: Field; readonly parent: Field }

/** `title` is null of a chapter that was deleted. */
type ChapterRecord = { readonly id: number; readonly second: number; readonly title: Field }

export type AssetRecord = {
  readonly id: string
  readonly session: string
  readonly title: Field
  readonly folder: Field
  readonly chapters: Map<number, ChapterRecord>
  /** Where a chapter may start that nobody acknowledged. */
  readonly uncertainSeconds: Set<number>
  readonly file: FileRecord
}

type FileRecord = {
  readonly way: 'form' | 'parts'
  /** Of no two files the same. */
  readonly bytes: number
  /** When storage acknowledged all of it; undefined: it never did. */
  storedAt: number | undefined
  /** When the service acknowledged it. */
  completedAt: number | undefined
}

export type Creation = { readonly type: string; readonly title: string; readonly at: number }

/** Of a request of which nobody knows what became of it: patience was over, or the load. */
export type GivenUp = { readonly request: string; readonly askedAt: number; readonly at: number }

export type StreamRecord = {
  /** The number of the last event; all before it were seen, unless `faults` says otherwise. */
  lastNumber: number
  resumptions: number
  readonly faults: string[]
}

export class LoadRecord {
  readonly organizationId: string
  readonly began = Date.now()
  ended = Number.POSITIVE_INFINITY
  /** When requests were answered, be it with "not so". */
  readonly answeredAt: Record<Kind, number[]> = {
    ...{ write: [], read: [], view: [], file: [], stream: [] },
  }
  /** When changes were. Those that are looked for afterwards are counted by `acknowledged`. */
  readonly acknowledgedAt: number[] = []
  readonly refused: Trouble[] = []
  readonly failed: Trouble[] = []
  readonly givenUp: GivenUp[] = []
  /** Answers to readers that cannot be, while the load was on. */
  readonly wrongReads: string[] = []
  /** Each by a title that is used once. */
  readonly creations: Creation[] = []
  readonly folders: FolderRecord[] = []
  readonly assets: AssetRecord[] = []
  readonly stream: StreamRecord = { lastNumber: 0, resumptions: 0, faults: [] }

  constructor(organizationId: string) {
    this.organizationId = organizationId
  }

  /**
   * Everything that was asked for and granted, and so must be there: what is counted here is what
   * `verifyLoad` looks for.
   */
  get acknowledged(): number {
    const fields = [
      ...this.folders.flatMap(({ title, parent }) => [title, parent]),
      ...this.assets.flatMap(({ title, folder, chapters }) => [
        ...[title, folder],
        ...[...chapters.values()].map((chapter) => chapter.title),
      ]),
    ]
    const changes = fields.flatMap((field) => field.changes.filter((one) => one.isAcknowledged))
    const files = this.assets.filter(({ file }) => isOwed(file) && file.completedAt !== undefined)
    return this.creations.length + changes.length + files.length
  }

  get troubles(): readonly Trouble[] {
    return [...this.refused, ...this.failed].sort((one, other) => one.at - other.at)
  }
}

/** A file in parts is joined when its caller says so, who may not have come to it. */
export const isOwed = ({ way, storedAt, completedAt }: FileRecord) =>
  storedAt !== undefined && (way === 'form' || completedAt !== undefined)

export const fieldOf = (value: string | null): Field => ({
  first: value,
  changes: [],
  past: new Set(),
  possible: [value],
  at: Date.now(),
})

/** Its change was acknowledged; or, if not, may have been made all the same. */
export function change(field: Field, to: string | null, isAcknowledged: boolean): void {
  const isTold = isAcknowledged && !field.possible.includes(to)
  field.changes.push({ to, at: Date.now(), isAcknowledged, isTold })
  for (const value of field.possible) field.past.add(value)
  field.past.delete(to)
  field.possible = isAcknowledged ? [to] : [...field.possible, to]
  if (isAcknowledged) field.at = Date.now()
}

/**
 * For how long requests of a kind met trouble: from the first that was sent in vain until the first
 * that was answered after the last. Between two moments, of which each run may have several pairs.
 * Whatever was not answered any more was in trouble until the load ended.
 */
export function troubleSeconds(
  record: LoadRecord,
  kinds: readonly Kind[],
  [from, to]: readonly [number, number] = [0, Number.POSITIVE_INFINITY],
): number {
  const met = record.troubles.filter(
    ({ kind, at }) => kinds.includes(kind) && at >= from && at <= to,
  )
  const last = met.at(-1)
  if (!last) return 0
  const first = Math.min(...met.map(({ sentAt }) => sentAt))
  const answers = kinds.flatMap((kind) => record.answeredAt[kind]).filter((at) => at >= last.at)
  const end = answers.length > 0 ? answers.reduce((a, b) => Math.min(a, b)) : endOf(record)
  return (Math.max(end, last.at) - first) / 1000
}

/**
 * The longest time between two moments for which nothing was acknowledged, whatever the reason:
 * refused, slow, or never asked. What lasted when the second came is counted to its end.
 */
export function longestSilenceSeconds(
  record: LoadRecord,
  [from, to]: readonly [number, number],
): number {
  const times = record.acknowledgedAt.filter((at) => at >= from).sort((a, b) => a - b)
  const next = times.find((at) => at >= to) ?? Math.max(to, endOf(record))
  const marks = [from, ...times.filter((at) => at < to), next]
  const gaps = marks.slice(1).map((at, index) => at - (marks[index] ?? at))
  return Math.max(...gaps) / 1000
}

const endOf = ({ ended }: LoadRecord) => Math.min(ended, Date.now())
