import type { assets as contract } from '@reelkeep/contract'
import type { Timestamp } from '../../kernel/time.ts'
import type { Asset } from './assets.rules.ts'

/** Beside its creation: more than anybody reads, and an asset's history stays small. */
export const HAPPENINGS_KEPT_MAX = 999

export type Happening = {
  readonly at: Timestamp
  readonly what: string
  readonly detail: string
}

export type Awaited = {
  readonly what: string
  readonly detail: string
  /** Null: no end is known. */
  readonly until: Timestamp | null
}

export type Timeline = {
  readonly happened: readonly Happening[]
  readonly awaited: Awaited | null
}

/** `fileDeadline` is when the wait for the asset's file ends, if it has an upload session. */
export function timelineOf(
  asset: Pick<Asset, 'status' | 'createdAt'>,
  happenings: readonly Happening[],
  fileDeadline: Timestamp | null,
): Timeline {
  const created = { at: asset.createdAt, what: 'created', detail: 'The asset was created.' }
  const awaited = awaitedIn[asset.status]
  return {
    happened: [created, ...happenings],
    awaited: awaited && { ...awaited, until: awaited.what === 'uploaded' ? fileDeadline : null },
  }
}

/** Null: nothing more happens by itself. */
const awaitedIn: Record<contract.VideoStatus, Omit<Awaited, 'until'> | null> = {
  'Not Started': {
    what: 'uploaded',
    detail:
      'The file has to arrive in storage. If it has not by then, its upload session expires and the asset fails.',
  },
  Queued: {
    what: 'processing_started',
    detail: 'The file has arrived and waits to be processed.',
  },
  Processing: { what: 'completed', detail: 'The file is being processed.' },
  Completed: null,
  Error: null,
  Cancelled: null,
}
