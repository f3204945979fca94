/** The record of a load: acknowledged, refused and failed requests with their times, and the expected state. */

/** Kind of request: a change, a read, a viewer's request, a file upload to storage, or the event stream. */
export type Kind = 'write' | 'read' | 'view' | 'file' | 'stream'

/** An unsuccessful request. It is a refusal if the response is a temporary error with Retry-After. */
export type RequestError = {
  readonly kind: Kind
  readonly isRefusal: boolean
  /** When the request was sent, and when it failed (`at`), in milliseconds since 1970. */
  readonly sentAt: number
  readonly at: number
  readonly request: string
  /** Status of the response; undefined if there was none. */
  readonly status: number | undefined
  readonly detail: string
}

/** Possible values of a field: one if its last change was acknowledged, several if its result is unknown. */
type Possible = readonly (string | null)[]

/** A requested change of a field. */
export type FieldChange = {
  readonly to: string | null
  readonly at: number
  readonly isAcknowledged: boolean
  /** Whether the event log must contain the change. It need not if the value may have been the same before. */
  readonly isLogged: boolean
}

export type Field = {
  readonly first: string | null
  readonly changes: FieldChange[]
  /** Earlier values, to distinguish a lost change from a wrong value. */
  readonly past: Set<string | null>
  possible: Possible
  /** When the last change of the field was acknowledged. */
  at: number
}

export type FolderRecord = { readonly uuid: string; readonly title: Field; readonly parent: Field }

/** `title` is null for a deleted chapter. */
type ChapterRecord = { readonly id: number; readonly second: number; readonly title: Field }

export type AssetRecord = {
  readonly id: string
  readonly session: string
  readonly title: Field
  readonly folder: Field
  readonly chapters: Map<number, ChapterRecord>
  /** Start times, in seconds, of chapters whose creation was not acknowledged. */
  readonly uncertainSeconds: Set<number>
  readonly file: FileRecord
}

type FileRecord = {
  readonly method: 'form' | 'parts'
  /** Size of the file; unique for each file. */
  readonly bytes: number
  /** When storage acknowledged the whole file; undefined if it did not. */
  storedAt: number | undefined
  /** When the service acknowledged the file; undefined if it did not. */
  completedAt: number | undefined
}

export type Creation = { readonly type: string; readonly title: string; readonly at: number }

/** A request with an unknown result: the time limit passed, or the load ended. */
export type UnansweredRequest = {
  readonly request: string
  readonly firstSentAt: number
  readonly at: number
}

export type StreamRecord = {
  /** Number of the last received event. All earlier events were received as well, unless `violations` lists a gap. */
  lastNumber: number
  resumptions: number
  readonly violations: string[]
}

export class LoadRecord {
  readonly organizationId: string
  readonly startedAt = Date.now()
  endedAt = Number.POSITIVE_INFINITY
  /** The times of responses, including 4xx responses. */
  readonly answeredAt: Record<Kind, number[]> = {
    ...{ write: [], read: [], view: [], file: [], stream: [] },
  }
  /** When changes were acknowledged. `acknowledged` counts those that are verified afterwards. */
  readonly acknowledgedAt: number[] = []
  readonly refused: RequestError[] = []
  readonly failed: RequestError[] = []
  readonly unanswered: UnansweredRequest[] = []
  /** Bodies of creations that were refused after an attempt without a definite response, which may take effect later. */
  readonly refusedRepeats: object[] = []
  /** Reads during the load that returned an unexpected value. */
  readonly wrongReads: string[] = []
  /** Acknowledged creations, each identified by its unique title. */
  readonly creations: Creation[] = []
  readonly folders: FolderRecord[] = []
  readonly assets: AssetRecord[] = []
  readonly stream: StreamRecord = { lastNumber: 0, resumptions: 0, violations: [] }

  constructor(organizationId: string) {
    this.organizationId = organizationId
  }

  /** Number of acknowledged changes that must exist, which are the changes that `verifyLoad` verifies. */
  get acknowledged(): number {
    const fields = [
      ...this.folders.flatMap(({ title, parent }) => [title, parent]),
      ...this.assets.flatMap(({ title, folder, chapters }) => [
        ...[title, folder],
        ...[...chapters.values()].map((chapter) => chapter.title),
      ]),
    ]
    const changes = fields.flatMap((field) => field.changes.filter((one) => one.isAcknowledged))
    const files = this.assets.filter(({ file }) => isVideoExpected(file) && file.completedAt !== undefined)
    return this.creations.length + changes.length + files.length
  }

  addError(error: RequestError): void {
    this[error.isRefusal ? 'refused' : 'failed'].push(error)
  }

  get errors(): readonly RequestError[] {
    return [...this.refused, ...this.failed].sort((one, other) => one.at - other.at)
  }
}

/**
 * Whether the file must become a video. If it was sent in parts, the client must also have completed the upload, which
 * joins the parts.
 */
export const isVideoExpected = ({ method, storedAt, completedAt }: FileRecord) =>
  storedAt !== undefined && (method === 'form' || completedAt !== undefined)

export const fieldOf = (value: string | null): Field => ({
  first: value,
  changes: [],
  past: new Set(),
  possible: [value],
  at: Date.now(),
})

/** Records a change. A change that was not acknowledged may have been made or not. */
export function change(field: Field, to: string | null, isAcknowledged: boolean): void {
  const isLogged = isAcknowledged && !field.possible.includes(to)
  field.changes.push({ to, at: Date.now(), isAcknowledged, isLogged })
  for (const value of field.possible) field.past.add(value)
  field.past.delete(to)
  field.possible = isAcknowledged ? [to] : [...field.possible, to]
  if (isAcknowledged) field.at = Date.now()
}

/**
 * How long requests of a kind had errors: from the first failed one until the first response after the last failure.
 * Covers one time span of the run. A request without a response counts as failing until the load ended.
 */
export function errorSeconds(
  record: LoadRecord,
  kinds: readonly Kind[],
  [from, to]: readonly [number, number] = [0, Number.POSITIVE_INFINITY],
): number {
  const errors = record.errors.filter(({ kind, at }) => kinds.includes(kind) && at >= from && at <= to)
  const last = errors.at(-1)
  if (!last) return 0
  const first = Math.min(...errors.map(({ sentAt }) => sentAt))
  const answers = kinds.flatMap((kind) => record.answeredAt[kind]).filter((at) => at >= last.at)
  const end = answers.length > 0 ? answers.reduce((a, b) => Math.min(a, b)) : endOf(record)
  return (Math.max(end, last.at) - first) / 1000
}

/**
 * The longest time within a span without an acknowledged write, whatever the reason: refused, slow, or never sent. A
 * gap that continues beyond the span is counted to the end of the gap.
 */
export function longestWriteGapSeconds(record: LoadRecord, [from, to]: readonly [number, number]): number {
  const times = record.acknowledgedAt.filter((at) => at >= from).sort((a, b) => a - b)
  const next = times.find((at) => at >= to) ?? Math.max(to, endOf(record))
  const marks = [from, ...times.filter((at) => at < to), next]
  const gaps = marks.slice(1).map((at, index) => at - (marks[index] ?? at))
  return Math.max(...gaps) / 1000
}

const endOf = ({ endedAt }: LoadRecord) => Math.min(endedAt, Date.now())
