import type { Probe } from '@reelkeep/media'

/** What was found in a file, in one line for its timeline. */
export function tellProbed({ durationSeconds, video, audio, subtitles, chapters }: Probe): string {
  const parts = [
    `A video of ${clock(durationSeconds)}, ${video.width}x${video.height}, ${video.codec}`,
    audio.length === 0 ? 'without sound' : counted(audio.length, 'audio track'),
    ...(subtitles.length > 0 ? [counted(subtitles.length, 'subtitle track')] : []),
    ...(chapters.length > 0 ? [counted(chapters.length, 'chapter')] : []),
  ]
  return `${parts.join(', ')}.`
}

export const chaptersCarried = (count: number) => ({
  what: 'chapters_carried',
  detail: `${counted(count, 'chapter')} of the file became the video’s.`,
})

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

/** Hours, minutes and seconds, with the fraction that the last second has. */
function clock(seconds: number): string {
  const whole = Math.floor(seconds)
  const fields = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const tenths = Math.floor((seconds - whole) * 10)
  return (
    fields.map((field) => String(field).padStart(2, '0')).join(':') + (tenths ? `.${tenths}` : '')
  )
}
