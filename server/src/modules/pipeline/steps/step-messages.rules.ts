/** Timeline entries about results of steps. None of them is an error of the asset. */
import type { Probe } from '@reelkeep/media'

/** The probe result in one line. */
export function describeProbe({ durationSeconds, video, audio, subtitles, chapters }: Probe): string {
  const parts = [
    `Video of ${clock(durationSeconds)}, ${video.width}x${video.height}, ${video.codec}`,
    audio.length === 0 ? 'no audio' : counted(audio.length, 'audio track'),
    ...(subtitles.length > 0 ? [counted(subtitles.length, 'subtitle track')] : []),
    ...(chapters.length > 0 ? [counted(chapters.length, 'chapter')] : []),
  ]
  return `${parts.join(', ')}.`
}

export const chaptersImported = (count: number) => ({
  what: 'chapters_imported',
  detail: `Imported ${counted(count, 'chapter')} from the file.`,
})

export const subtitlesGenerated = (language: string, cues: number) => ({
  what: 'subtitles_generated',
  detail: `Subtitles (${language}) were generated from the audio: ${counted(cues, 'cue')}. They may contain mistakes.`,
})

const notGenerated = (reason: string) => ({
  what: 'subtitles_not_generated',
  detail: `No subtitles were generated: ${reason}`,
})

export const noSpeech = notGenerated('no speech was recognized.')
export const noAudio = notGenerated('the video has no audio.')
export const noTranscriber = notGenerated('this service has no transcriber.')
export const transcriptionFailed = notGenerated('transcription failed. The video is not affected.')
export const unsupportedLanguage = (language: string | undefined) =>
  notGenerated(`the transcriber does not support the language of the audio (${language ?? 'und'}).`)

export const subtitlesExtracted = (languages: readonly string[]) => ({
  what: 'subtitles_extracted',
  detail: `Extracted ${counted(languages.length, 'subtitle track')} from the file: ${languages.join(', ')}.`,
})

export const subtitlesNotExtracted = {
  what: 'subtitles_not_extracted',
  detail: 'The subtitles in the file could not be extracted. The video is not affected.',
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

/** Formats seconds as HH:MM:SS, with tenths if there are any. */
function clock(seconds: number): string {
  const whole = Math.floor(seconds)
  const fields = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const tenths = Math.floor((seconds - whole) * 10)
  return fields.map((field) => String(field).padStart(2, '0')).join(':') + (tenths ? `.${tenths}` : '')
}
