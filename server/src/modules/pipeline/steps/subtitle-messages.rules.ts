/** Timeline entries about the subtitles of a video. None of them is an error of the asset. */

export const generated = (language: string, cues: number) => ({
  what: 'subtitles_generated',
  detail: `Subtitles (${language}) were generated from the audio: ${counted(cues, 'cue')}. They may contain mistakes.`,
})

export const nothingSaid = {
  what: 'subtitles_not_generated',
  detail: 'No subtitles were generated: no speech was recognized.',
}

export const noSound = {
  what: 'subtitles_not_generated',
  detail: 'No subtitles were generated: the video has no audio.',
}

export const noTranscriber = {
  what: 'subtitles_not_generated',
  detail: 'No subtitles were generated: this service has no transcriber.',
}

export const languageUnknown = (language: string | undefined) => ({
  what: 'subtitles_not_generated',
  detail: `No subtitles were generated: the transcriber does not support the language of the audio (${language ?? 'und'}).`,
})

export const notGenerated = {
  what: 'subtitles_not_generated',
  detail: 'No subtitles were generated: transcription failed. The video is not affected.',
}

export const carried = (languages: readonly string[]) => ({
  what: 'subtitles_carried',
  detail: `Extracted ${counted(languages.length, 'subtitle track')} from the file: ${languages.join(', ')}.`,
})

export const notCarried = {
  what: 'subtitles_not_carried',
  detail: 'The subtitles in the file could not be extracted. The video is not affected.',
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
