/** Chromium accepts a position up to two frames before a buffered range; a frame may be this long. */
const ACCEPTED_SECONDS_MAX = 0.5

/**
 * Repeats seeks that end with a wrong frame. For a position just before a buffered range, Chromium shows the first
 * frame of that range. The segment with the position is buffered afterwards, and would not be shown.
 */
export function repeatSeeks(video: HTMLVideoElement, player: EventTarget): void {
  let unbuffered: number | undefined
  const repeat = () => {
    if (unbuffered === undefined || unbuffered !== video.currentTime || video.seeking || !isBuffered(video)) return
    video.currentTime = unbuffered
    unbuffered = undefined
  }
  video.addEventListener('seeking', () => {
    unbuffered = isJustBeforeBuffered(video) ? video.currentTime : undefined
  })
  video.addEventListener('seeked', repeat)
  player.addEventListener('segmentappended', repeat)
}

const rangesOf = ({ buffered }: HTMLVideoElement) =>
  Array.from({ length: buffered.length }, (_, index) => ({ start: buffered.start(index), end: buffered.end(index) }))

const isBuffered = (video: HTMLVideoElement) =>
  rangesOf(video).some(({ start, end }) => start <= video.currentTime && video.currentTime < end)

function isJustBeforeBuffered(video: HTMLVideoElement): boolean {
  const { currentTime } = video
  const isAccepted = (start: number) => start > currentTime && start - currentTime <= ACCEPTED_SECONDS_MAX
  return !isBuffered(video) && rangesOf(video).some(({ start }) => isAccepted(start))
}
