/** Plays an address by the named engine, and notes what a test wants to know. The libraries are loaded before this. */
const video = document.getElementById('video')

const noted = { errors: [], firstSeconds: null, hasEnded: false, heights: [] }

const note = (error) => {
  if (!noted.errors.includes(error)) noted.errors.push(error)
}

video.addEventListener('playing', () => {
  noted.firstSeconds ??= video.currentTime
})
video.addEventListener('ended', () => {
  noted.hasEnded = true
})
video.addEventListener('error', () => note(`video: ${video.error?.message}`))

const engines = {
  'hls.js': async (url) => {
    const hls = new Hls()
    // What is not fatal it gets over by itself: a buffer that ran dry, a piece that is asked for again.
    hls.on(Hls.Events.ERROR, (_, { details, fatal }) => fatal && note(`hls.js: ${details}`))
    hls.on(Hls.Events.MANIFEST_PARSED, () => {
      noted.heights = hls.levels.map(({ height }) => height)
    })
    // It goes by what is chosen in the browser's own menu.
    video.textTracks.addEventListener('addtrack', ({ track }) => {
      track.mode = 'showing'
    })
    hls.loadSource(url)
    hls.attachMedia(video)
  },
  shaka: async (url, licenceUrl) => {
    const player = new shaka.Player()
    if (licenceUrl) player.configure({ drm: { servers: { 'org.w3.clearkey': licenceUrl } } })
    player.addEventListener('error', ({ detail }) => note(`shaka: ${detail.code}`))
    await player.attach(video)
    await player.load(url)
    noted.heights = player.getVariantTracks().map(({ height }) => height)
    const [subtitles] = player.getTextTracks()
    if (subtitles) player.selectTextTrack(subtitles)
  },
  'dash.js': async (url) => {
    const player = dashjs.MediaPlayer().create()
    player.on(dashjs.MediaPlayer.events.ERROR, ({ error }) => note(`dash.js: ${error?.message}`))
    player.on(dashjs.MediaPlayer.events.STREAM_INITIALIZED, () => {
      noted.heights = player.getRepresentationsByType('video').map(({ height }) => height)
      if (player.getTracksFor('text').length > 0) player.setTextTrack(0)
    })
    // Of a short video it now and then leaves the browser to wait for more: then it tells the end
    // itself, and pauses there.
    player.on(dashjs.MediaPlayer.events.PLAYBACK_ENDED, () => {
      noted.hasEnded = true
    })
    player.initialize(video, url, false)
  },
}

window.start = async ({ engine, url, rate, licenceUrl }) => {
  video.defaultPlaybackRate = rate
  try {
    await engines[engine](url, licenceUrl)
  } catch (error) {
    note(`${engine}: ${error.code ?? error.message}`)
  }
  video.playbackRate = rate
  // It may never settle: a test watches what happens and waits for nothing else.
  video.play().catch((error) => note(`play: ${error.message}`))
}

window.watched = () => ({
  ...noted,
  heights: [...noted.heights].sort((a, b) => a - b),
  currentSeconds: video.currentTime,
  durationSeconds: Number.isFinite(video.duration) ? video.duration : null,
  frames: video.getVideoPlaybackQuality().totalVideoFrames,
  audioBytes: video.webkitAudioDecodedByteCount,
  cues: Math.max(0, ...[...video.textTracks].map(({ cues }) => cues?.length ?? 0)),
})
