/**
 * Generates subtitles from the audio if requested. A failure does not affect the video; it is recorded in the timeline.
 */
import {
  type AudioFacts,
  AudioUnreadable,
  audioScratchBytes,
  cuesOf,
  extractAudio,
  momentsOf,
  openScratch,
  type Probe,
  planVideo,
  probe as probeMedia,
  type Transcriber,
  type Transcript,
  TranscriptionFailed,
  toTrackCue,
  writeWebVtt,
} from '@reelkeep/media'
import { type Asset, type NewTimelineEntry, recordTimeline } from '../../assets/assets.ts'
import { findPlan } from '../../renditions/renditions.ts'
import { publishGenerated } from '../../subtitles/subtitles.ts'
import { retryPolicies } from './retry-policies.ts'
import { type Publish, type Step, type StepContext, stepJob } from './step.ts'
import * as messages from './step-messages.rules.ts'

export const transcribe: Step = {
  job: stepJob('transcribe', 'extras', retryPolicies.transcribe),
  runningLabel: 'Generating subtitles',
  waitingLabel: 'The subtitles are waiting to be generated',
  parts: async (_, asset) => (asset.generateSubtitle ? [{ part: '', urgency: 'later' }] : []),
  isOptional: true,
  scratchBytes: async (db, { assetId }) =>
    audioScratchBytes((await findPlan(db, { id: assetId }))?.durationSeconds ?? 0),
  run: async (context) => {
    try {
      return await generate(context)
    } catch (error) {
      if (!isGivenUp(error, context)) throw error
      context.logger.warn({ err: error }, 'failed to generate subtitles')
      return timelineEntry(messages.transcriptionFailed)
    }
  },
}

const timelineEntry =
  (entry: NewTimelineEntry): Publish =>
  (tx, asset) =>
    recordTimeline(tx, asset, entry)

/** Whether the step is given up: a retry would not help, or no attempts are left. */
function isGivenUp(error: unknown, { signal, isLast }: StepContext): boolean {
  if (signal.aborted) return false
  const isFinal =
    (error instanceof TranscriptionFailed && error.reason === 'refused') ||
    (error instanceof AudioUnreadable && error.isFinal)
  return isFinal || isLast
}

async function generate(context: StepContext): Promise<Publish> {
  const { transcriber, sandbox, file, signal } = context
  if (!transcriber) return timelineEntry(messages.noTranscriber)
  const probe = await probeMedia(sandbox, file, { signal })
  const audio = playedAudio(probe, context.asset)
  if (!audio) return timelineEntry(messages.noAudio)
  const transcript = await transcribeAudio(context, transcriber, { probe, audio })
  if (transcript === 'language') return timelineEntry(messages.unsupportedLanguage(audio.language))
  const cues = cuesOf(transcript.phrases)
  if (cues.length === 0) return timelineEntry(messages.noSpeech)
  const name = 'subtitles.vtt'
  const trackCues = cues.map(toTrackCue)
  await context.outputs.put(name, writeWebVtt(trackCues), 'text/vtt')
  const moments = momentsOf(trackCues)
  const { language } = transcript
  const key = `${context.outputs.prefix}${name}`
  return async (tx, asset) => {
    await publishGenerated(tx, asset, { language, key, moments })
    await recordTimeline(tx, asset, messages.subtitlesGenerated(language, cues.length))
  }
}

/** The audio stream that players play. */
function playedAudio(probe: Probe, asset: Asset): AudioFacts | undefined {
  const { audio } = planVideo(probe, asset)
  return probe.audio.find(({ streamIndex }) => streamIndex === audio?.streamIndex)
}

async function transcribeAudio(
  { sandbox, file: source, signal, logger }: StepContext,
  transcriber: Transcriber,
  { probe, audio }: { readonly probe: Probe; readonly audio: AudioFacts },
): Promise<Transcript | 'language'> {
  const { streamIndex, language } = audio
  await using scratch = await openScratch()
  const { directory } = scratch
  const file = await extractAudio(sandbox, { source, probe, streamIndex, directory, signal })
  try {
    return await transcriber.transcribe(file, {
      signal,
      ...languageHint(language),
      onProgress: (seconds) => logger.debug({ seconds, of: file.seconds }, 'transcribing'),
    })
  } catch (error) {
    if (error instanceof TranscriptionFailed && error.reason === 'language') return 'language'
    throw error
  }
}

/** Many cameras label every recording as English; any other language was set deliberately. */
const languageHint = (language: string | undefined) =>
  language === undefined || /^en\b/.test(language) ? {} : { language }
