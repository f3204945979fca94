import { z } from 'zod'
import { httpUrl } from './fields.ts'

/**
 * Maximum heartbeat interval: the view `due_pipeline_steps` counts a worker as alive for 10 seconds after its
 * heartbeat.
 */
const HEARTBEAT_SECONDS_MAX = 5

/** Minimum number of heartbeats per lease, so that a late heartbeat does no harm. */
const HEARTBEATS_PER_LEASE_MIN = 3

/** How often a worker polls, and how soon other workers detect that it died. */
export const intervalSettings = {
  /** A worker without a heartbeat for this long counts as dead, and its jobs go to other workers. */
  WORKER_LEASE_SECONDS: z.coerce.number().min(0.5).max(300).default(10),
  /** How often a worker renews its lease and its claims on steps, and checks for claims of dead workers. */
  WORKER_HEARTBEAT_SECONDS: z.coerce.number().min(0.05).max(HEARTBEAT_SECONDS_MAX).default(2),
  /**
   * How often a worker polls a queue for jobs. The queue `extras`, the schedules and the queues of an idle worker are
   * polled less often, at a multiple of this interval.
   */
  WORKER_POLL_MILLISECONDS: z.coerce.number().int().min(10).max(10_000).default(250),
}

type LeaseSettings = {
  readonly WORKER_LEASE_SECONDS: number
  readonly WORKER_HEARTBEAT_SECONDS: number
}

export const outlastsHeartbeats = (choice: LeaseSettings): boolean =>
  choice.WORKER_LEASE_SECONDS >= HEARTBEATS_PER_LEASE_MIN * choice.WORKER_HEARTBEAT_SECONDS

export const leaseError = {
  path: ['WORKER_LEASE_SECONDS'],
  message: `must be at least ${HEARTBEATS_PER_LEASE_MIN} times WORKER_HEARTBEAT_SECONDS`,
}

/** Maintenance of storage. */
export const scrubSettings = {
  /** How many bytes of published files are read and compared with their checksums per day. 0: none. */
  SCRUB_BYTES_PER_DAY: z.coerce.number().int().min(0).max(1e15).default(100e9),
}

/** Speech recognition for automatic subtitles. */
export const transcriberSettings = {
  /** `moonshine`: in the worker. `openai`: a server with OpenAI's API. `none`: no automatic subtitles. */
  TRANSCRIBER: z.enum(['moonshine', 'openai', 'none']).default('moonshine'),
  /** Base URL of the transcription server; `/v1/audio/transcriptions` is appended. */
  TRANSCRIBER_URL: httpUrl.optional(),
  /** Bearer token for the transcription server. */
  TRANSCRIBER_KEY: z.string().min(1).max(1000).optional(),
  TRANSCRIBER_MODEL: z.string().min(1).max(200).default('whisper-1'),
}

type TranscriberChoice = {
  readonly TRANSCRIBER: string
  readonly TRANSCRIBER_URL?: string | undefined
}

export const hasTranscriberUrl = ({ TRANSCRIBER, TRANSCRIBER_URL }: TranscriberChoice) =>
  TRANSCRIBER !== 'openai' || TRANSCRIBER_URL !== undefined

export const transcriberUrlError = {
  path: ['TRANSCRIBER_URL'],
  message: 'is required with TRANSCRIBER=openai',
}
