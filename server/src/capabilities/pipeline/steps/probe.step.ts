/** The first step: looks into the file, within seconds, and finds out whether it is a video at all. */
import { probe as lookInto, type Probe, UnusableMedia } from '@reelkeep/media'
import { noteProbed } from '../../assets/assets.ts'
import { tellProbed } from './probe-words.rules.ts'
import { type Step, type StepContext, stepJob, UnusableFile } from './step.ts'

export const probe: Step = {
  // Storage may be away for an hour: the attempts, with their pauses, go on for longer.
  job: stepJob('probe', {
    queue: 'probe',
    attemptsMax: 12,
    firstPauseSeconds: 2,
    attemptSecondsMax: 120,
  }),
  does: 'Looking into the file',
  awaits: 'The file has arrived and waits to be looked into',
  run: async (context) => {
    const probed = await look(context)
    // For whoever wonders later why a video was made the way it was.
    const told = { ...probed, ffmpeg: context.sandbox.ffmpegVersion }
    await context.outputs.put('probe.json', JSON.stringify(told, null, 2), 'application/json')
    const { width, height } = probed.video
    return (tx, asset) => noteProbed(tx, asset, { ...probed, width, height }, tellProbed(probed))
  },
}

async function look({ sandbox, file, signal }: StepContext): Promise<Probe> {
  try {
    return await lookInto(sandbox, file, { signal })
  } catch (error) {
    if (!(error instanceof UnusableMedia)) throw error
    throw new UnusableFile({ code: error.code, detail: error.detail })
  }
}
