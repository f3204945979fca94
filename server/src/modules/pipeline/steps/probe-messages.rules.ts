import type { Probe } from '@reelkeep/media'

/** The probe result in one line, for the timeline. */
export function tellProbed({ durationSeconds, video, audio, subtitles, chapters }: Probe): string {
  const parts = [
    `Video of ${clock(durationSeconds)}, ${video.width}x${video.height}, ${video.codec}`,
    audio.length === 0 ? 'no audio' : counted(audio.length, 'audio track'),
    ...(subtitles.length > 0 ? [counted(subtitles.length, 'subtitle track')] : []),
    ...(chapters.length > 0 ? [counted(chapters.length, 'chapter')] : []),
  ]
  return `${parts.join(', ')}.`
}

export const chaptersCarried = (count: number) => ({
  what: 'chapters_carried',
  detail: `Imported ${counted(count, 'chapter')} from the file.`,
})

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

/** HH:MM:SS, with tenths if there are any. */
function clock(seconds: number): string {
  const whole = Math.floor(seconds)
  const fields = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const tenths = Math.floor((seconds - whole) * 10)
  return (
    fields.map((field) => String(field).padStart(2, '0')).join(':') + (tenths ? `.${tenths}` : '')
  )
}
