/**
 * Plays a video that may still be growing.
 *
 * The list of qualities is read once, when a source is loaded; how far each reaches is read again
 * and again until the video is whole. So a viewer who began early goes on to the end in the
 * qualities of the beginning, and to get those that came later the source is loaded again, at the
 * same place.
 */

/** Faults of the line or of the decoder that are overcome by trying again, before a person is asked to. */
const RECOVERIES_MAX = 3

const settings = {
  // The segments are fragments of MP4 already: there is nothing to do for a worker.
  enableWorker: false,
}

/**
 * `told` hears of `onReady()`, `onReach(seconds, isWhole)`, `onQuality(height)`,
 * `onWaiting(isWaiting)` and `onFailure(detail)`. Resolves when the library is there.
 */
export async function openPlayer(video, url, told) {
  const { default: Hls } = await import(new URL('../vendor/hls.js', import.meta.url))
  const player = { video, url, told, Hls, hls: undefined, recoveries: 0, hasBegun: false }
  const closing = new AbortController()
  listen(player, closing.signal)
  load(player)
  return {
    hasBegun: () => player.hasBegun,
    /** The heights there are to choose from; none until the list has been read. */
    heights: () => player.hls?.levels.map(({ height }) => height) ?? [],
    /** Reads the list of qualities again and goes on where it is. */
    reload: () => load(player),
    close() {
      closing.abort()
      player.hls?.destroy()
      video.removeAttribute('src')
    },
  }
}

function listen(player, signal) {
  const { video, told } = player
  const on = (event, doing) => video.addEventListener(event, doing, { signal })
  on('play', () => {
    player.hasBegun = true
  })
  on('loadeddata', told.onReady)
  for (const event of ['waiting', 'playing', 'pause', 'seeking']) {
    on(event, () => told.onWaiting(event === 'waiting' && isAtEdge(player)))
  }
}

/** Also again, at the same place and as before: playing or not. */
function load(player) {
  const { video, url, Hls } = player
  const at = video.currentTime
  const wasPlaying = player.hasBegun && !video.paused
  const line = player.hls && { abrEwmaDefaultEstimate: player.hls.bandwidthEstimate }
  player.hls?.destroy()
  if (!Hls.isSupported()) {
    // A phone's own player, which knows growing playlists as well.
    video.src = url
    return
  }
  // From a place of ours: what grows is to the library a live stream, which it would begin at the end.
  // How fast the line is was learned already: the best quality for it comes at once.
  const hls = new Hls({ ...settings, ...line, startPosition: at })
  player.hls = hls
  hls.on(Hls.Events.LEVEL_UPDATED, (_, { details }) =>
    player.told.onReach(details.edge, !details.live),
  )
  hls.on(Hls.Events.LEVEL_SWITCHED, (_, { level }) =>
    player.told.onQuality(hls.levels[level]?.height),
  )
  hls.on(Hls.Events.FRAG_BUFFERED, () => {
    player.recoveries = 0
  })
  hls.on(Hls.Events.ERROR, (_, error) => error.fatal && recover(player, error))
  hls.loadSource(url)
  hls.attachMedia(video)
  if (wasPlaying) video.play().catch(() => {})
}

function recover(player, { type, details }) {
  const { Hls, hls, told } = player
  player.recoveries++
  if (player.recoveries > RECOVERIES_MAX) return told.onFailure(details)
  if (type === Hls.ErrorTypes.MEDIA_ERROR) return hls.recoverMediaError()
  setTimeout(() => player.hls === hls && load(player), player.recoveries * 1000)
}

/** All that there is has been played. */
function isAtEdge({ video }) {
  const { buffered, currentTime } = video
  return buffered.length > 0 && buffered.end(buffered.length - 1) - currentTime < 1
}
