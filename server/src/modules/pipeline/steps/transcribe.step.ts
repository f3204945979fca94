/**
 * Generates subtitles from the audio if requested. A failure does not affect the video; it is recorded in the
 * timeline.
 */
import {
  type AudioFacts,
  AudioUnreadable,
  cuesOf,
  extractAudio,
  probe as lookInto,
  openScratch,
  type Probe,
  planVideo,
  type Transcriber,
  type Transcript,
  TranscriptionFailed,
  toTrackCue,
  writeWebVtt,
} from '@reelkeep/media'
import { type Asset, type NewTimelineEntry, recordTimeline } from '../../assets/assets.ts'
import { publishGenerated } from '../../subtitles/subtitles.ts'
import { type Publish, type Step, type StepContext, stepJob } from './step.ts'
import * as words from './subtitle-messages.rules.ts'

/** Enough attempts, with their pauses, to outlast an hour without storage. */
const ATTEMPTS_MAX = 10

export const transcribe: Step = {
  job: stepJob('transcribe', {
    queue: 'extras',
    attemptsMax: ATTEMPTS_MAX,
    firstPauseSeconds: 10,
    // For a video of 24 hours: reading the file, and transcribing, which runs in about real time without a GPU.
    attemptSecondsMax: 36 * 3600,
  }),
  does: 'Generating subtitles',
  awaits: 'The subtitles are waiting to be generated',
  parts: async (_, asset) => (asset.generateSubtitle ? [{ part: '', urgency: 'later' }] : []),
  isOptional: true,
  run: async (context) => {
    try {
      return await listen(context)
    } catch (error) {
      if (!isGivenUp(error, context)) throw error
      context.logger.warn({ err: error }, 'failed to generate subtitles')
      return telling(words.notGenerated)
    }
  },
}

const telling =
  (entry: NewTimelineEntry): Publish =>
  (tx, asset) =>
    recordTimeline(tx, asset, entry)

/** A retry would not help, or the attempts are used up. */
function isGivenUp(error: unknown, { signal, number }: StepContext): boolean {
  if (signal.aborted) return false
  const isFinal =
    (error instanceof TranscriptionFailed && error.reason === 'refused') ||
    (error instanceof AudioUnreadable && error.isFinal)
  return isFinal || number >= ATTEMPTS_MAX
}

async function listen(context: StepContext): Promise<Publish> {
  const { transcriber, sandbox, file, signal } = context
  if (!transcriber) return telling(words.noTranscriber)
  const probe = await lookInto(sandbox, file, { signal })
  const audio = heardAudio(probe, context.asset)
  if (!audio) return telling(words.noSound)
  const transcript = await transcribed(context, transcriber, probe, audio)
  if (transcript === 'language') return telling(words.languageUnknown(audio.language))
  const cues = cuesOf(transcript.phrases)
  if (cues.length === 0) return telling(words.nothingSaid)
  const name = 'subtitles.vtt'
  await context.outputs.put(name, writeWebVtt(cues.map(toTrackCue)), 'text/vtt')
  const { language } = transcript
  const key = `${context.outputs.prefix}${name}`
  return async (tx, asset) => {
    await publishGenerated(tx, asset, { language, key })
    await recordTimeline(tx, asset, words.generated(language, cues.length))
  }
}

/** The audio stream that players play. */
function heardAudio(probe: Probe, asset: Asset): AudioFacts | undefined {
  const { audio } = planVideo(probe, asset)
  return probe.audio.find(({ streamIndex }) => streamIndex === audio?.streamIndex)
}

async function transcribed(
  { sandbox, file: source, signal, logger }: StepContext,
  transcriber: Transcriber,
  probe: Probe,
  { streamIndex, language }: AudioFacts,
): Promise<Transcript | 'language'> {
  await using scratch = await openScratch()
  const { directory } = scratch
  const sound = await extractAudio(sandbox, { source, probe, streamIndex, directory, signal })
  try {
    return await transcriber.transcribe(sound, {
      signal,
      ...languageHint(language),
      onProgress: (seconds) => logger.debug({ seconds, of: sound.seconds }, 'transcribing'),
    })
  } catch (error) {
    if (error instanceof TranscriptionFailed && error.reason === 'language') return 'language'
    throw error
  }
}

/** Many cameras label every recording as English; any other language was set deliberately. */
const languageHint = (language: string | undefined) =>
  language === undefined || /^en\b/.test(language) ? {} : { language }
