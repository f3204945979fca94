/** Extracts the subtitles of the file as tracks of the video. A failure does not affect the video. */
import { extractableStreams, extractSubtitles, probe, readMoments, SUBTITLE_SCRATCH_BYTES } from '@reelkeep/media'
import { findProbed, recordTimeline } from '../../assets/assets.ts'
import { type ProducedTrack, publishEmbedded } from '../../subtitles/subtitles.ts'
import { retryPolicies } from './retry-policies.ts'
import { type Publish, type Step, type StepContext, stepJob } from './step.ts'
import { subtitlesExtracted, subtitlesNotExtracted } from './step-messages.rules.ts'

export const extractSubtitlesStep: Step = {
  job: stepJob('carry-subtitles', 'extras', retryPolicies.extractSubtitles),
  runningLabel: 'Extracting subtitles',
  waitingLabel: 'The subtitles are waiting to be extracted',
  parts: async (tx, asset) => {
    const probed = await findProbed(tx, asset)
    const hasText = probed?.subtitles?.some(({ isText }) => isText) ?? false
    return hasText ? [{ part: '', urgency: 'later' }] : []
  },
  isOptional: true,
  scratchBytes: async () => SUBTITLE_SCRATCH_BYTES,
  run: async (context) => {
    try {
      return await extract(context)
    } catch (error) {
      if (context.signal.aborted || !context.isLast) throw error
      context.logger.warn({ err: error }, 'failed to extract subtitles')
      return (tx, asset) => recordTimeline(tx, asset, subtitlesNotExtracted)
    }
  },
}

async function extract({ sandbox, file: source, signal, outputs }: StepContext): Promise<Publish> {
  const probed = await probe(sandbox, source, { signal })
  if (extractableStreams(probed.subtitles).length === 0) return async () => undefined
  const found = await extractSubtitles(sandbox, { source, probe: probed, signal })
  const tracks: ProducedTrack[] = []
  for (const { streamIndex, language, title, webVtt } of found) {
    const name = `${streamIndex}.vtt`
    await outputs.put(name, webVtt, 'text/vtt')
    const label = title === undefined ? {} : { label: title }
    tracks.push({ language, ...label, key: `${outputs.prefix}${name}`, moments: readMoments(webVtt) })
  }
  if (tracks.length === 0) return (tx, asset) => recordTimeline(tx, asset, subtitlesNotExtracted)
  return async (tx, asset) => {
    await publishEmbedded(tx, asset, tracks)
    await recordTimeline(tx, asset, subtitlesExtracted(tracks.map(({ language }) => language)))
  }
}
