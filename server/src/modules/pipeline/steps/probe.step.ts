/** The first step: probes the file within seconds and finds out whether it is a video at all. */
import {
  probe as lookInto,
  type Probe,
  ProbeInterrupted,
  planVideo,
  UnusableMedia,
} from '@reelkeep/media'
import { recordTimeline, saveProbed } from '../../assets/assets.ts'
import { adoptFoundChapters } from '../../chapters/chapters.ts'
import { savePlan } from '../../renditions/renditions.ts'
import { chaptersCarried, tellProbed } from './probe-messages.rules.ts'
import { type Step, type StepContext, stepJob, UnusableFile } from './step.ts'

export const probe: Step = {
  // Enough attempts, with their pauses, to outlast an hour without storage.
  job: stepJob('probe', {
    queue: 'probe',
    attemptsMax: 12,
    firstPauseSeconds: 2,
    // Two ffmpeg runs at their time limit, and reads from storage.
    attemptSecondsMax: 180,
  }),
  does: 'Analyzing the file',
  awaits: 'The file has been uploaded and is waiting to be analyzed',
  run: async (context) => {
    const probed = await look(context)
    // Stored for later diagnosis.
    const report = { ...probed, ffmpeg: context.sandbox.ffmpegVersion }
    await context.outputs.put('probe.json', JSON.stringify(report, null, 2), 'application/json')
    const { width, height } = probed.video
    return async (tx, asset) => {
      await saveProbed(tx, asset, { ...probed, width, height }, tellProbed(probed))
      await savePlan(tx, asset, planVideo(probed, asset))
      const count = await adoptFoundChapters(tx, asset, { ...probed, width, height })
      if (count > 0) await recordTimeline(tx, asset, chaptersCarried(count))
    }
  },
}

async function look({ sandbox, file, signal, number }: StepContext): Promise<Probe> {
  try {
    return await lookInto(sandbox, file, { signal })
  } catch (error) {
    throw meaningOf(error, number)
  }
}

/**
 * An overloaded machine is slow temporarily, a bad file always: after this many slow attempts, the file is blamed.
 */
const SLOW_ATTEMPTS_MAX = 5

/** Translates an error of the probe: an unusable file, or an error that is retried. */
export function meaningOf(error: unknown, attemptNumber: number): unknown {
  const isSlow = error instanceof ProbeInterrupted && error.reason === 'too-slow'
  const cause = isSlow && attemptNumber >= SLOW_ATTEMPTS_MAX ? error.cause : error
  if (!(cause instanceof UnusableMedia)) return error
  return new UnusableFile({ code: cause.code, detail: cause.detail })
}
