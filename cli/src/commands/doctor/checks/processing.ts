import { ProcessingError, WaitTimeoutError } from 'reelkeep'
import type { Check } from '../check.ts'
import { type CheckOutcome, failed, ok } from '../check-result.ts'
import type { DoctorContext } from '../context.ts'

const CHECK_THE_WORKER =
  'Check the worker: run `reelkeep doctor --operations http://…:8082`, or `node server/src/main/doctor.ts worker` on its machine. Its log contains every attempt.'

/** Processes a real video. */
export const processing: Check = {
  name: 'processing',
  description: 'processing of a small video',
  needs: ['storage-signature', 'storage-parts'],
  // A file that was not detected automatically is still processed after complete/.
  follows: { name: 'notification-path', canContinue: ({ shared }) => shared.isAccepted === true },
  run: async (context) => {
    const { reelkeep, shared, signal, waitSeconds } = context
    const id = shared.session?.asset.id ?? ''
    const startedAt = performance.now()
    const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(1)
    try {
      const options = { signal, timeoutSeconds: waitSeconds }
      await reelkeep.assets.waitUntilPlayable(id, options)
      const playable = seconds()
      const { video } = await reelkeep.assets.waitUntilCompleted(id, options)
      if (video.playback_url !== null) shared.playbackUrl = video.playback_url
      return ok(`A small video was playable after ${playable} s and completed after ${seconds()} s.`)
    } catch (error) {
      if (error instanceof ProcessingError)
        return failed(`A small video could not be processed (${error.code}): ${error.message}`, CHECK_THE_WORKER)
      if (error instanceof WaitTimeoutError) return lateOutcome(context, id)
      throw error
    }
  },
}

async function lateOutcome({ reelkeep, waitSeconds }: DoctorContext, id: string): Promise<CheckOutcome> {
  const { video } = await reelkeep.assets.read(id)
  if (video.status === 'Queued')
    return failed(
      `No worker started to process a small video within ${waitSeconds} seconds.`,
      'Start a worker (node server/src/main/worker.ts; in development: restart pnpm dev) for the queues probe and encode, or more workers if the running ones are busy. If a worker exits immediately, the last line of its log says why; in containers: docker compose logs worker.',
      'workers',
    )
  const { entries } = await reelkeep.assets.readTimeline(id)
  return failed(
    `A small video was not completed within ${waitSeconds} seconds. Last entry of its timeline: ${entries.at(-1)?.detail ?? '–'}`,
    `${CHECK_THE_WORKER} If it is only busy, allow more time with --wait.`,
  )
}
