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

/** The step that an asset's processing is at, and when the wait for it ends at the latest. */
export type StepWait = {
  readonly step: string
  readonly state: 'waiting' | 'running'
  readonly until: Timestamp
}

export type KnownWaits = {
  readonly fileUntil?: Timestamp | undefined
  readonly processing?: Pick<Awaited, 'detail' | 'until'> | undefined
}

export function timelineOf(
  asset: Pick<Asset, 'status' | 'createdAt'>,
  happenings: readonly Happening[],
  waits: KnownWaits,
): Timeline {
  const created = { at: asset.createdAt, what: 'created', detail: 'The asset was created.' }
  const awaited = awaitedIn[asset.status]
  return {
    happened: [created, ...happenings],
    awaited: awaited && { ...awaited, ...knownOf(awaited.what, waits) },
  }
}

const knownOf = (what: string, { fileUntil, processing }: KnownWaits) =>
  what === 'uploaded' ? { until: fileUntil ?? null } : (processing ?? { until: null })

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
