import type { NewUploadSession, Reelkeep } from 'reelkeep'
import type { Profile } from '../../profile/profile.ts'

/** Input of the checks, and results of earlier checks. */
export type DoctorContext = {
  readonly profile: Profile
  readonly reelkeep: Reelkeep
  /** Origin whose pages must be able to call the API and storage (CORS). */
  readonly origin: string | undefined
  /** How long to wait for slow steps, such as a busy worker or a notification. */
  readonly waitSeconds: number
  readonly signal: AbortSignal
  /** Assets to delete at the end. */
  readonly createdAssets: string[]
  readonly shared: SharedState
}

/** State passed from one check to later ones. */
type SharedState = {
  /** Seconds by which the clock of the API is ahead of this machine. */
  apiAheadSeconds?: number
  storageAheadSeconds?: number
  scopes?: readonly string[]
  session?: NewUploadSession
  /** True if storage does not support POST policies, so that files are uploaded in parts. */
  lacksForms?: boolean
  /** True if the service has accepted the test file. */
  isAccepted?: boolean
  playbackUrl?: string
}
