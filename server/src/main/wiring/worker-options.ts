import { moonshine, openAiCompatible, type Transcriber } from '@reelkeep/media'
import type { WorkerConfig } from '../../platform/config/env.ts'
import type { Intervals } from '../../platform/jobs/intervals.ts'

/** CPU threads per transcription. Few, because the worker also encodes, and large machines run several workers. */
const MOONSHINE_THREADS = 1

type TranscriberConfig = Pick<WorkerConfig, 'TRANSCRIBER' | 'TRANSCRIBER_URL' | 'TRANSCRIBER_KEY' | 'TRANSCRIBER_MODEL'>

/** Returns undefined if no transcriber is configured. */
export function transcriberFor(config: TranscriberConfig): Transcriber | undefined {
  if (config.TRANSCRIBER === 'moonshine') return moonshine({ threads: MOONSHINE_THREADS })
  if (config.TRANSCRIBER === 'none' || config.TRANSCRIBER_URL === undefined) return undefined
  return openAiCompatible({
    ...{ url: config.TRANSCRIBER_URL, model: config.TRANSCRIBER_MODEL },
    ...(config.TRANSCRIBER_KEY === undefined ? {} : { key: config.TRANSCRIBER_KEY }),
  })
}

export const workerIntervals = (config: WorkerConfig): Intervals => ({
  leaseSeconds: config.WORKER_LEASE_SECONDS,
  heartbeatSeconds: config.WORKER_HEARTBEAT_SECONDS,
  pollSeconds: config.WORKER_POLL_MILLISECONDS / 1000,
})
