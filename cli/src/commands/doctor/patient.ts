import type { NewUploadSession, Reelkeep } from 'reelkeep'
import type { Profile } from '../../profile/profile.ts'

/** What is examined, and what has been learnt of it so far. */
export type Patient = {
  readonly profile: Profile
  readonly reelkeep: Reelkeep
  /** Whose pages are to work. */
  readonly origin: string | undefined
  /** How long to wait for what takes its time: a worker that is busy, a notification. */
  readonly waitSeconds: number
  readonly signal: AbortSignal
  /** Assets to be deleted in the end, whatever happens. */
  readonly made: string[]
  readonly seen: Seen
}

/** Handed from one check to those that need it. */
type Seen = {
  /** By how much the API's clock is ahead of this machine's. */
  apiAheadSeconds?: number
  storageAheadSeconds?: number
  scopes?: readonly string[]
  session?: NewUploadSession
  /** Storage knows no POST policies: files are sent in parts. */
  isWithoutForms?: boolean
  /** The service has the trial's file. */
  isTaken?: boolean
  playbackUrl?: string
}
