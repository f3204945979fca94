import type { Caller } from '@reelkeep/testkit'
import type { Tools, Video } from './trash-video.ts'

/** Data that the callers of an organization share. */
export type TrashContext = {
  readonly tools: Tools
  /** Repeats each request until it gets a response. */
  readonly caller: Caller
  readonly videos: readonly Video[]
  readonly folders: readonly string[]
  /** Ids of videos and folders on which a caller has a hold. Another caller must not lift it. */
  readonly held: Set<string>
  /** Ids of videos whose final deletion was requested, alone or with their folder. */
  readonly mayBePurged: Set<string>
  readonly violations: string[]
}
