/** The first step: looks into the file, within seconds, and finds out whether it is a video at all. */
import {
  probe as lookInto,
  type Probe,
  ProbeInterrupted,
  planVideo,
  UnusableMedia,
} from '@reelkeep/media'
import { noteProbed, tell } from '../../assets/assets.ts'
import { carryChapters } from '../../chapters/chapters.ts'
import { notePlan } from '../../renditions/renditions.ts'
import { chaptersCarried, tellProbed } from './probe-words.rules.ts'
import { type Step, type StepContext, stepJob, UnusableFile } from './step.ts'

export const probe: Step = {
  // Storage may be away for an hour: the attempts, with their pauses, go on for longer.
  job: stepJob('probe', {
    queue: 'probe',
    attemptsMax: 12,
    firstPauseSeconds: 2,
    // Two runs of a program at their limit, and what storage takes.
    attemptSecondsMax: 180,
  }),
  does: 'Looking into the file',
  awaits: 'The file has arrived and waits to be looked into',
  run: async (context) => {
    const probed = await look(context)
    // For whoever wonders later why a video was made the way it was.
    const told = { ...probed, ffmpeg: context.sandbox.ffmpegVersion }
    await context.outputs.put('probe.json', JSON.stringify(told, null, 2), 'application/json')
    const { width, height } = probed.video
    return async (tx, asset) => {
      await noteProbed(tx, asset, { ...probed, width, height }, tellProbed(probed))
      await notePlan(tx, asset, planVideo(probed, asset))
      const count = await carryChapters(tx, asset, { ...probed, width, height })
      if (count > 0) await tell(tx, asset, chaptersCarried(count))
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

/** A machine with too much to do is slow for a while, a file always: it is blamed when it was too slow this often. */
const SLOW_ATTEMPTS_MAX = 5

/**
 * What failed an attempt, as the pipeline understands it: a file that is at fault, or an error
 * after which it is tried again.
 */
export function meaningOf(error: unknown, attemptNumber: number): unknown {
  const isSlow = error instanceof ProbeInterrupted && error.reason === 'too-slow'
  const verdict = isSlow && attemptNumber >= SLOW_ATTEMPTS_MAX ? error.cause : error
  if (!(verdict instanceof UnusableMedia)) return error
  return new UnusableFile({ code: verdict.code, detail: verdict.detail })
}
