import type { Film } from '@reelkeep/media/film'
import { films } from '@reelkeep/media/films'
import { filmSelection } from '@reelkeep/testkit'

/** The sample for CI: every kind of difficulty, in the fewest films. */
const sample = [
  'long.mp4',
  'one-frame.mp4',
  'edit-list.mp4',
  'odd.webm',
  'theora.ogv',
  'phone.mp4',
  'bright-phone.mp4',
  'tape.mp4',
  'audio-first.ts',
  'blink.mkv',
]

/** Films that are also played to their end in a browser. */
const played = [
  'rotated-90.mp4',
  'rate-23976.mp4',
  'no-audio.mp4',
  'short-audio.mp4',
  'half-second.mp4',
  'one-frame.mp4',
  'ultrawide.mp4',
  'live.webm',
  'phone.mp4',
  'slow-motion.mov',
  'late-broadcast.ts',
]

export const selectedFilms: readonly Film[] = films.filter(({ name }) => {
  if (filmSelection === 'all') return true
  return (filmSelection === 'sample' ? sample : filmSelection.split(',')).includes(name)
})

export const playedFilms = selectedFilms.filter(({ name }) => played.includes(name))
