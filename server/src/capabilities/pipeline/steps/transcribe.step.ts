/**
 * Subtitles from the sound, where they were asked for. However that goes, the video is not
 * affected: what went wrong is told in its timeline.
 */
import {
  type AudioFacts,
  cuesOf,
  extractSound,
  probe as lookInto,
  openScratch,
  type Probe,
  planVideo,
  type Recogniser,
  RecognitionFailed,
  SoundUnreadable,
  type Transcript,
  toTrackCue,
  writeWebVtt,
} from '@reelkeep/media'
import { type Asset, type News, tell } from '../../assets/assets.ts'
import { publishGenerated } from '../../subtitles/subtitles.ts'
import { type Publish, type Step, type StepContext, stepJob } from './step.ts'
import * as words from './subtitle-words.rules.ts'

/** Storage may be away for an hour: the attempts, with their pauses, go on for longer. */
const ATTEMPTS_MAX = 10

export const transcribe: Step = {
  job: stepJob('transcribe', {
    queue: 'extras',
    attemptsMax: ATTEMPTS_MAX,
    firstPauseSeconds: 10,
    // Of a video of 24 hours: reading all of it, and listening, which a server without a graphics
    // card does no faster than it is spoken.
    attemptSecondsMax: 36 * 3600,
  }),
  does: 'Listening for subtitles',
  awaits: 'The sound waits to be listened to for subtitles',
  parts: async (_, asset) => (asset.generateSubtitle ? [{ part: '', urgency: 'later' }] : []),
  isOptional: true,
  run: async (context) => {
    try {
      return await listen(context)
    } catch (error) {
      if (!isGivenUp(error, context)) throw error
      context.logger.warn({ err: error }, 'subtitles could not be generated')
      return telling(words.notGenerated)
    }
  },
}

const telling =
  (news: News): Publish =>
  (tx, asset) =>
    tell(tx, asset, news)

/** It would not go better another time, or has been tried often enough. */
function isGivenUp(error: unknown, { signal, number }: StepContext): boolean {
  if (signal.aborted) return false
  const isFinal =
    (error instanceof RecognitionFailed && error.reason === 'refused') ||
    (error instanceof SoundUnreadable && error.isFinal)
  return isFinal || number >= ATTEMPTS_MAX
}

async function listen(context: StepContext): Promise<Publish> {
  const { recogniser, sandbox, file, signal } = context
  if (!recogniser) return telling(words.noRecogniser)
  const probe = await lookInto(sandbox, file, { signal })
  const audio = heardAudio(probe, context.asset)
  if (!audio) return telling(words.noSound)
  const transcript = await transcribed(context, recogniser, probe, audio)
  if (transcript === 'language') return telling(words.languageUnknown(audio.language))
  const cues = cuesOf(transcript.phrases)
  if (cues.length === 0) return telling(words.nothingSaid)
  const name = 'subtitles.vtt'
  await context.outputs.put(name, writeWebVtt(cues.map(toTrackCue)), 'text/vtt')
  const { language } = transcript
  const key = `${context.outputs.prefix}${name}`
  return async (tx, asset) => {
    await publishGenerated(tx, asset, { language, key })
    await tell(tx, asset, words.generated(language, cues.length))
  }
}

/** The one that players play. */
function heardAudio(probe: Probe, asset: Asset): AudioFacts | undefined {
  const { audio } = planVideo(probe, asset)
  return probe.audio.find(({ streamIndex }) => streamIndex === audio?.streamIndex)
}

async function transcribed(
  { sandbox, file: source, signal, logger }: StepContext,
  recogniser: Recogniser,
  probe: Probe,
  { streamIndex, language }: AudioFacts,
): Promise<Transcript | 'language'> {
  await using scratch = await openScratch()
  const { directory } = scratch
  const sound = await extractSound(sandbox, { source, probe, streamIndex, directory, signal })
  try {
    return await recogniser.transcribe(sound, {
      signal,
      ...languageHint(language),
      onProgress: (seconds) => logger.debug({ seconds, of: sound.seconds }, 'listening'),
    })
  } catch (error) {
    if (error instanceof RecognitionFailed && error.reason === 'language') return 'language'
    throw error
  }
}

/** Many a camera says English of whatever it records; any other language somebody has set. */
const languageHint = (language: string | undefined) =>
  language === undefined || /^en\b/.test(language) ? {} : { language }
