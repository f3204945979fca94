/** Ends the playback of a part of a video with its last frame, because the playlist continues to the next segment. */
import type { PlayerState } from './player-state.ts'
import { isAtEnd } from './timeline/part.ts'

export function endWithPart(player: PlayerState, isLooping: () => boolean, signal: AbortSignal): void {
  const { video } = player
  const check = (mediaSeconds: number) => {
    const { about } = player
    if (!about || !player.isPart || video.paused || !isAtEnd(about, mediaSeconds, video.playbackRate)) return
    if (isLooping()) return player.seek(0)
    video.pause()
    player.seek(player.duration)
    player.hasPartEnded = true
    video.dispatchEvent(new Event('ended'))
  }
  for (const event of ['play', 'seeking', 'emptied']) {
    video.addEventListener(
      event,
      () => {
        // The seek to the last frame is part of the end.
        if (event !== 'seeking' || !video.paused) player.hasPartEnded = false
      },
      { signal },
    )
  }
  // The last frame is shown already, so the next one that the browser presents would be after the end.
  video.addEventListener('play', () => check(video.currentTime), { signal })
  if ('requestVideoFrameCallback' in video) {
    const next = () =>
      video.requestVideoFrameCallback((_, { mediaTime }) => {
        if (signal.aborted) return
        check(mediaTime)
        next()
      })
    next()
  }
  // For browsers without frame callbacks, and for audio that continues while the page is hidden.
  video.addEventListener('timeupdate', () => check(video.currentTime), { signal })
}
