/**
 * Plays a video that may still be processed.
 *
 * hls.js reads the list of qualities once, when it loads the manifest, and polls the playlists for new segments.
 * To use qualities that were encoded later, the manifest is loaded again at the same position.
 */

/** Automatic recoveries from network and decoder errors before the error is shown. */
const RECOVERIES_MAX = 3

const settings = {
  // The segments are already fragmented MP4, so there is nothing to transmux in a worker.
  enableWorker: false,
}

/**
 * `callbacks`: `onReady()`, `onReach(seconds, isComplete)`, `onQuality(height)`, `onWaiting(isWaiting)` and
 * `onFailure(detail)`. Resolves when hls.js is loaded.
 */
export async function openPlayer(video, url, callbacks) {
  const { default: Hls } = await import(new URL('../vendor/hls.js', import.meta.url))
  const player = { video, url, callbacks, Hls, hls: undefined, recoveries: 0, hasStarted: false }
  const closing = new AbortController()
  listen(player, closing.signal)
  load(player)
  return {
    hasStarted: () => player.hasStarted,
    /** Available heights; empty until the manifest is loaded. */
    heights: () => player.hls?.levels.map(({ height }) => height) ?? [],
    /** Reloads the manifest at the current position. */
    reload: () => load(player),
    close() {
      closing.abort()
      player.hls?.destroy()
      video.removeAttribute('src')
    },
  }
}

function listen(player, signal) {
  const { video, callbacks } = player
  const on = (event, listener) => video.addEventListener(event, listener, { signal })
  on('play', () => {
    player.hasStarted = true
  })
  on('loadeddata', callbacks.onReady)
  for (const event of ['waiting', 'playing', 'pause', 'seeking']) {
    on(event, () => callbacks.onWaiting(event === 'waiting' && isAtEdge(player)))
  }
}

/** Loads or reloads the source; a reload keeps the position and the playing state. */
function load(player) {
  const { video, url, Hls } = player
  const position = video.currentTime
  const wasPlaying = player.hasStarted && !video.paused
  const bandwidth = player.hls && { abrEwmaDefaultEstimate: player.hls.bandwidthEstimate }
  player.hls?.destroy()
  if (!Hls.isSupported()) {
    // Browsers with native HLS support, such as Safari on iPhones, play the URL directly.
    video.src = url
    return
  }
  // hls.js treats a growing video as live and would start at its end, so the position is set explicitly.
  // The known bandwidth selects the right quality immediately.
  const hls = new Hls({ ...settings, ...bandwidth, startPosition: position })
  player.hls = hls
  hls.on(Hls.Events.LEVEL_UPDATED, (_, { details }) => player.callbacks.onReach(details.edge, !details.live))
  hls.on(Hls.Events.LEVEL_SWITCHED, (_, { level }) => player.callbacks.onQuality(hls.levels[level]?.height))
  hls.on(Hls.Events.FRAG_BUFFERED, () => {
    player.recoveries = 0
  })
  hls.on(Hls.Events.ERROR, (_, error) => error.fatal && recover(player, error))
  hls.loadSource(url)
  hls.attachMedia(video)
  if (wasPlaying) video.play().catch(() => {})
}

function recover(player, { type, details }) {
  const { Hls, hls, callbacks } = player
  player.recoveries++
  if (player.recoveries > RECOVERIES_MAX) return callbacks.onFailure(details)
  if (type === Hls.ErrorTypes.MEDIA_ERROR) return hls.recoverMediaError()
  setTimeout(() => player.hls === hls && load(player), player.recoveries * 1000)
}

/** Returns whether everything available has been played. */
function isAtEdge({ video }) {
  const { buffered, currentTime } = video
  return buffered.length > 0 && buffered.end(buffered.length - 1) - currentTime < 1
}
