import { ProcessingError, WaitTimeoutError } from 'reelkeep'
import type { Check } from '../check.ts'
import { fault, fine, type Verdict } from '../finding.ts'
import type { Patient } from '../patient.ts'

const AT_THE_WORKER =
  'Ask the worker itself: `reelkeep doctor --operations http://…:8082`, or `node server/src/main/doctor.ts worker` on its machine; its log tells of every attempt.'

/** A real video, from the file to the end. */
export const processing: Check = {
  name: 'processing',
  what: 'whether a small video is made',
  needs: ['storage-signature', 'storage-parts'],
  // A file that nobody noticed by himself is taken all the same when he is told of it.
  follows: { name: 'notification-path', canGoOn: ({ seen }) => seen.isTaken === true },
  look: async (patient) => {
    const { reelkeep, seen, signal, waitSeconds } = patient
    const id = seen.session?.asset.id ?? ''
    const startedAt = performance.now()
    const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(1)
    try {
      const options = { signal, timeoutSeconds: waitSeconds }
      await reelkeep.assets.waitUntilPlayable(id, options)
      const playable = seconds()
      const { video } = await reelkeep.assets.waitUntilCompleted(id, options)
      if (video.playback_url !== null) seen.playbackUrl = video.playback_url
      return fine(`A small video was playable after ${playable} s and done after ${seconds()} s.`)
    } catch (error) {
      if (error instanceof ProcessingError)
        return fault(
          `A small video could not be made (${error.code}): ${error.message}`,
          AT_THE_WORKER,
        )
      if (error instanceof WaitTimeoutError) return whyLate(patient, id)
      throw error
    }
  },
}

async function whyLate({ reelkeep, waitSeconds }: Patient, id: string): Promise<Verdict> {
  const { video } = await reelkeep.assets.read(id)
  if (video.status === 'Queued')
    return fault(
      `Nobody has taken up a small video for ${waitSeconds} seconds.`,
      'Start a worker (node server/src/main/worker.ts; in development: restart pnpm dev) that takes the queues probe and encode, or more of them if those that run are busy; if one ends at once, its last line says why.',
      'workers',
    )
  const { happened } = await reelkeep.assets.readTimeline(id)
  return fault(
    `A small video was taken up, and is not done after ${waitSeconds} seconds. Last: ${happened.at(-1)?.detail ?? '–'}`,
    `${AT_THE_WORKER} If it is merely busy, give it more time with --wait.`,
  )
}
