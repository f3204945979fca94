import type { assets as contract } from '@reelkeep/contract'
import type { Timestamp } from '../../kernel/time.ts'
import type { Asset } from './assets.rules.ts'

/** Maximum number of timeline entries kept per asset. The entry for its creation is not counted. */
export const TIMELINE_ENTRIES_MAX = 999

export type TimelineEntry = {
  readonly at: Timestamp
  readonly what: string
  readonly detail: string
}

export type Pending = {
  readonly what: string
  readonly detail: string
  /** Deadline of the next step; null if none is known. */
  readonly until: Timestamp | null
}

export type Timeline = {
  readonly entries: readonly TimelineEntry[]
  readonly pending: Pending | null
}

/** The current pipeline step of an asset and its deadline. */
export type StepWait = {
  readonly step: string
  readonly state: 'waiting' | 'running'
  readonly until: Timestamp
}

export type KnownDeadlines = {
  readonly fileUntil?: Timestamp | undefined
  readonly processing?: Pick<Pending, 'detail' | 'until'> | undefined
}

/** Uuid of the folder that the entry says the asset was moved to. */
export const folderInEntry = ({ what, detail }: TimelineEntry): string | undefined =>
  what === 'moved' ? /\((\w{11})\)\.$/.exec(detail)?.[1] : undefined

/** The entry without the title of its folder, unless the principal sees the folder. */
export function withoutFolderOutside(entry: TimelineEntry, visible: ReadonlySet<string>): TimelineEntry {
  const folder = folderInEntry(entry)
  return folder === undefined || visible.has(folder) ? entry : { ...entry, detail: 'Moved to another folder.' }
}

export function timelineOf(
  asset: Pick<Asset, 'status' | 'createdAt'>,
  entries: readonly TimelineEntry[],
  waits: KnownDeadlines,
): Timeline {
  const created = { at: asset.createdAt, what: 'created', detail: 'Asset created.' }
  const pending = pendingIn[asset.status]
  return {
    entries: [created, ...entries],
    pending: pending && { ...pending, ...deadlineOf(pending.what, waits) },
  }
}

const deadlineOf = (what: string, { fileUntil, processing }: KnownDeadlines) =>
  what === 'uploaded' ? { until: fileUntil ?? null } : (processing ?? { until: null })

/** The next step in each status. Null if nothing happens without a request. */
const pendingIn: Record<contract.VideoStatus, Omit<Pending, 'until'> | null> = {
  'Not Started': {
    what: 'uploaded',
    detail: 'Waiting for the file. If it does not arrive in time, the upload session expires and the asset fails.',
  },
  Queued: {
    what: 'processing_started',
    detail: 'File received. Waiting for processing to start.',
  },
  Processing: { what: 'completed', detail: 'Processing.' },
  Completed: null,
  Error: null,
  Cancelled: null,
}
