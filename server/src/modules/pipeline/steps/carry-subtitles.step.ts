/** Extracts the subtitles of the file as tracks of the video. A failure does not affect the video. */
import { extractableStreams, extractSubtitles, probe as lookInto } from '@reelkeep/media'
import { findProbed, recordTimeline } from '../../assets/assets.ts'
import { type ProducedTrack, publishCarried } from '../../subtitles/subtitles.ts'
import { type Publish, type Step, type StepContext, stepJob } from './step.ts'
import { carried, notCarried } from './subtitle-messages.rules.ts'

/** Enough attempts, with their pauses, to outlast an hour without storage. */
const ATTEMPTS_MAX = 11

export const carrySubtitlesStep: Step = {
  job: stepJob('carry-subtitles', {
    queue: 'extras',
    attemptsMax: ATTEMPTS_MAX,
    firstPauseSeconds: 5,
    // Subtitles are interleaved with the video, so the whole file is read.
    attemptSecondsMax: 8 * 3600,
  }),
  does: 'Extracting subtitles',
  awaits: 'The subtitles are waiting to be extracted',
  parts: async (tx, asset) => {
    const probed = await findProbed(tx, asset)
    const hasText = probed?.subtitles?.some(({ isText }) => isText) ?? false
    return hasText ? [{ part: '', urgency: 'later' }] : []
  },
  isOptional: true,
  run: async (context) => {
    try {
      return await carry(context)
    } catch (error) {
      if (context.signal.aborted || context.number < ATTEMPTS_MAX) throw error
      context.logger.warn({ err: error }, 'failed to extract subtitles')
      return (tx, asset) => recordTimeline(tx, asset, notCarried)
    }
  },
}

async function carry({ sandbox, file: source, signal, outputs }: StepContext): Promise<Publish> {
  const probe = await lookInto(sandbox, source, { signal })
  if (extractableStreams(probe.subtitles).length === 0) return async () => undefined
  const found = await extractSubtitles(sandbox, { source, probe, signal })
  const tracks: ProducedTrack[] = []
  for (const { streamIndex, language, title, webVtt } of found) {
    const name = `${streamIndex}.vtt`
    await outputs.put(name, webVtt, 'text/vtt')
    const label = title === undefined ? {} : { label: title }
    tracks.push({ language, ...label, key: `${outputs.prefix}${name}` })
  }
  if (tracks.length === 0) return (tx, asset) => recordTimeline(tx, asset, notCarried)
  return async (tx, asset) => {
    await publishCarried(tx, asset, tracks)
    await recordTimeline(tx, asset, carried(tracks.map(({ language }) => language)))
  }
}
