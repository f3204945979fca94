/** What became of the subtitles of a video, for its timeline. Each is news, and none of it an error of the asset. */

export const generated = (language: string, cues: number) => ({
  what: 'subtitles_generated',
  detail: `Subtitles (${language}) were generated from the sound: ${counted(cues, 'cue')}. Expect mistakes in them.`,
})

export const nothingSaid = {
  what: 'subtitles_not_generated',
  detail: 'There are no generated subtitles: nothing was said that could be understood.',
}

export const noSound = {
  what: 'subtitles_not_generated',
  detail: 'There are no generated subtitles: the video has no sound.',
}

export const noRecogniser = {
  what: 'subtitles_not_generated',
  detail: 'There are no generated subtitles: this service has no recogniser.',
}

export const languageUnknown = (language: string | undefined) => ({
  what: 'subtitles_not_generated',
  detail: `There are no generated subtitles: the recogniser does not know the language of the sound (${language ?? 'und'}).`,
})

export const notGenerated = {
  what: 'subtitles_not_generated',
  detail: 'There are no generated subtitles: they could not be made. The video is not affected.',
}

export const carried = (languages: readonly string[]) => ({
  what: 'subtitles_carried',
  detail: `${counted(languages.length, 'subtitle track')} of the file can be shown: ${languages.join(', ')}.`,
})

export const notCarried = {
  what: 'subtitles_not_carried',
  detail: 'The subtitles in the file could not be taken over. The video is not affected.',
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
