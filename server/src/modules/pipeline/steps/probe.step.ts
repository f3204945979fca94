/** The first step: probes the file within seconds and finds out whether it is a video at all. */
import {
  type Probe,
  ProbeInterrupted,
  planVideo,
  probe as probeMedia,
  UnusableMedia,
  type VideoFacts,
} from '@reelkeep/media'
import { recordTimeline, saveProbed } from '../../assets/assets.ts'
import { adoptFoundChapters } from '../../chapters/chapters.ts'
import { savePlan } from '../../renditions/renditions.ts'
import { retryPolicies } from './retry-policies.ts'
import { type Step, type StepContext, stepJob, UnusableFile } from './step.ts'
import { chaptersImported, describeProbe } from './step-messages.rules.ts'

export const probe: Step = {
  job: stepJob('probe', 'probe', retryPolicies.probe),
  runningLabel: 'Probing the file',
  waitingLabel: 'The file has been uploaded and is waiting to be probed',
  run: async (context) => {
    const probed = await probeFile(context)
    // The probe result and the ffmpeg version are stored for later diagnosis.
    const report = { ...probed, ffmpeg: context.sandbox.ffmpegVersion }
    await context.outputs.put('probe.json', JSON.stringify(report, null, 2), 'application/json')
    const { width, height } = probed.video
    const facts = { ...probed, width, height, frameRate: frameRateOf(probed.video) }
    return async (tx, asset) => {
      await saveProbed(tx, asset, facts, describeProbe(probed))
      await savePlan(tx, asset, planVideo(probed, asset))
      // An asset keeps its chapters when it gets another version.
      if (asset.versionOfId !== null) return
      const count = await adoptFoundChapters(tx, asset, facts)
      if (count > 0) await recordTimeline(tx, asset, chaptersImported(count))
    }
  },
}

/** Rounded to three decimals; null if the rate is variable or unknown. */
export const frameRateOf = ({
  frameRate,
  isVariableFrameRate,
}: Pick<VideoFacts, 'frameRate' | 'isVariableFrameRate'>) =>
  frameRate && !isVariableFrameRate ? Math.round((frameRate.numerator / frameRate.denominator) * 1000) / 1000 : null

async function probeFile({ sandbox, file, signal, ...context }: StepContext): Promise<Probe> {
  try {
    return await probeMedia(sandbox, file, { signal })
  } catch (error) {
    throw stepError(error, context)
  }
}

/** Translates an error of the probe: an unusable file, or an error that is retried. */
export function stepError(
  error: unknown,
  { number, hasFailedElsewhere }: Pick<StepContext, 'number' | 'hasFailedElsewhere'>,
): unknown {
  const isSlow = error instanceof ProbeInterrupted && error.reason === 'too-slow'
  const isBlamed = isSlow && hasFailedElsewhere && number >= retryPolicies.probe.maxFileFailures
  const cause = isBlamed ? error.cause : error
  if (!(cause instanceof UnusableMedia)) return error
  return new UnusableFile({ code: cause.code, detail: cause.detail })
}
