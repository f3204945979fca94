/** Subtitles that are in the file, taken over as tracks of the video. However that goes, the video is not affected. */
import { carriedStreams, carrySubtitles, probe as lookInto } from '@reelkeep/media'
import { findProbed, tell } from '../../assets/assets.ts'
import { type MadeTrack, publishCarried } from '../../subtitles/subtitles.ts'
import { type Publish, type Step, type StepContext, stepJob } from './step.ts'
import { carried, notCarried } from './subtitle-words.rules.ts'

/** Storage may be away for an hour: the attempts, with their pauses, go on for longer. */
const ATTEMPTS_MAX = 11

export const carrySubtitlesStep: Step = {
  job: stepJob('carry-subtitles', {
    queue: 'extras',
    attemptsMax: ATTEMPTS_MAX,
    firstPauseSeconds: 5,
    // Subtitles lie between the pictures: all of the file is read for them.
    attemptSecondsMax: 8 * 3600,
  }),
  does: 'Taking over the subtitles of the file',
  awaits: 'The subtitles of the file wait to be taken over',
  parts: async (tx, asset) => {
    const probed = await findProbed(tx, asset)
    const hasWords = probed?.subtitles?.some(({ isText }) => isText) ?? false
    return hasWords ? [{ part: '', urgency: 'later' }] : []
  },
  isOptional: true,
  run: async (context) => {
    try {
      return await carry(context)
    } catch (error) {
      if (context.signal.aborted || context.number < ATTEMPTS_MAX) throw error
      context.logger.warn({ err: error }, 'subtitles of the file could not be taken over')
      return (tx, asset) => tell(tx, asset, notCarried)
    }
  },
}

async function carry({ sandbox, file: source, signal, outputs }: StepContext): Promise<Publish> {
  const probe = await lookInto(sandbox, source, { signal })
  if (carriedStreams(probe.subtitles).length === 0) return async () => undefined
  const found = await carrySubtitles(sandbox, { source, probe, signal })
  const tracks: MadeTrack[] = []
  for (const { streamIndex, language, title, webVtt } of found) {
    const name = `${streamIndex}.vtt`
    await outputs.put(name, webVtt, 'text/vtt')
    const label = title === undefined ? {} : { label: title }
    tracks.push({ language, ...label, key: `${outputs.prefix}${name}` })
  }
  if (tracks.length === 0) return (tx, asset) => tell(tx, asset, notCarried)
  return async (tx, asset) => {
    await publishCarried(tx, asset, tracks)
    await tell(tx, asset, carried(tracks.map(({ language }) => language)))
  }
}
