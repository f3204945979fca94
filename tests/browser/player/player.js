/** Plays a URL with the given engine and records its state for the tests. The engines are loaded before this script. */
const video = document.getElementById('video')

const recorded = { errors: [], firstSeconds: null, hasEnded: false, heights: [] }

const recordError = (error) => {
  if (!recorded.errors.includes(error)) recorded.errors.push(error)
}

video.addEventListener('playing', () => {
  recorded.firstSeconds ??= video.currentTime
})
video.addEventListener('ended', () => {
  recorded.hasEnded = true
})
video.addEventListener('error', () => recordError(`video: ${video.error?.message}`))

const engines = {
  'hls.js': async (url) => {
    const hls = new Hls()
    // hls.js recovers from non-fatal errors by itself.
    hls.on(Hls.Events.ERROR, (_, { details, fatal }) => fatal && recordError(`hls.js: ${details}`))
    hls.on(Hls.Events.MANIFEST_PARSED, () => {
      recorded.heights = hls.levels.map(({ height }) => height)
    })
    // hls.js loads the tracks that are enabled in the browser.
    video.textTracks.addEventListener('addtrack', ({ track }) => {
      track.mode = 'showing'
    })
    hls.loadSource(url)
    hls.attachMedia(video)
  },
  shaka: async (url, licenseUrl) => {
    const player = new shaka.Player()
    if (licenseUrl) player.configure({ drm: { servers: { 'org.w3.clearkey': licenseUrl } } })
    player.addEventListener('error', ({ detail }) => recordError(`shaka: ${detail.code}`))
    await player.attach(video)
    await player.load(url)
    recorded.heights = player.getVariantTracks().map(({ height }) => height)
    const [subtitles] = player.getTextTracks()
    if (subtitles) player.selectTextTrack(subtitles)
  },
  'dash.js': async (url) => {
    const player = dashjs.MediaPlayer().create()
    player.on(dashjs.MediaPlayer.events.ERROR, ({ error }) => recordError(`dash.js: ${error?.message}`))
    player.on(dashjs.MediaPlayer.events.STREAM_INITIALIZED, () => {
      recorded.heights = player.getRepresentationsByType('video').map(({ height }) => height)
      if (player.getTracksFor('text').length > 0) player.setTextTrack(0)
    })
    // For short videos dash.js sometimes reports the end itself and pauses, without an `ended` event.
    player.on(dashjs.MediaPlayer.events.PLAYBACK_ENDED, () => {
      recorded.hasEnded = true
    })
    player.initialize(video, url, false)
  },
}

window.start = async ({ engine, url, rate, licenseUrl }) => {
  video.defaultPlaybackRate = rate
  try {
    await engines[engine](url, licenseUrl)
  } catch (error) {
    recordError(`${engine}: ${error.code ?? error.message}`)
  }
  video.playbackRate = rate
  // Not awaited: the promise may never settle.
  video.play().catch((error) => recordError(`play: ${error.message}`))
}

window.watched = () => ({
  ...recorded,
  heights: [...recorded.heights].sort((a, b) => a - b),
  currentSeconds: video.currentTime,
  durationSeconds: Number.isFinite(video.duration) ? video.duration : null,
  frames: video.getVideoPlaybackQuality().totalVideoFrames,
  audioBytes: video.webkitAudioDecodedByteCount,
  cues: Math.max(0, ...[...video.textTracks].map(({ cues }) => cues?.length ?? 0)),
})
