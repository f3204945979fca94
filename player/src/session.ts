/** Plays one source: loads it, resumes it, follows its processing, and retries after errors. */
import { absolute, baseOf, readAbout, type Source } from './about.ts'
import { isInterrupted, loadShaka, openEngine } from './engine.ts'
import { messages } from './messages.ts'
import { errorMessages, PlaybackError } from './playback-error.ts'
import { linkedTime } from './timeline/deep-link.ts'
import { offsetOf, positionOf } from './timeline/part.ts'
import { readStoryboard } from './timeline/storyboard.ts'
import { clock, parseTime } from './timeline/time.ts'
import type { View } from './view/view.ts'
import { savedPosition, savePosition } from './viewer-storage.ts'

const SAVE_MILLISECONDS = 5000
/** Poll interval for a video that is still being processed. */
const POLL_MILLISECONDS = 5000

type StartPosition = { readonly seconds: number | undefined; readonly isResumed: boolean }

export class Session {
  readonly #host: HTMLElement
  readonly #view: View
  /** Base URL of the video. It changes when a single-use token is replaced. */
  #base: string
  readonly #closing = new AbortController()
  #retryTimer: ReturnType<typeof setTimeout> | undefined
  /** Number of the current load; results of earlier loads are discarded. */
  #loadCount = 0
  #hasFailed = false
  /** Where to continue after an error or a change of quality, and whether to play. */
  #resumeAt: { readonly seconds: number; readonly isPlaying: boolean } | undefined

  constructor(host: HTMLElement, view: View, src: string) {
    this.#host = host
    this.#view = view
    this.#base = baseOf(src)
  }

  start(): void {
    const { signal } = this.#closing
    this.#view.player.frame.classList.remove('begun')
    globalThis.addEventListener('hashchange', () => this.#followLink(), { signal })
    globalThis.addEventListener('online', () => this.#retryTimer && this.retry(), { signal })
    globalThis.addEventListener('pagehide', () => this.#savePosition(), { signal })
    const { video } = this.#view.player
    for (const event of ['pause', 'ended']) video.addEventListener(event, () => this.#savePosition(), { signal })
    const saving = setInterval(() => !video.paused && this.#savePosition(), SAVE_MILLISECONDS)
    const polling = setInterval(() => void this.#poll(), POLL_MILLISECONDS)
    signal.addEventListener('abort', () => {
      clearInterval(saving)
      clearInterval(polling)
      clearTimeout(this.#retryTimer)
    })
    void this.#open()
  }

  retry(isQuiet = false): void {
    clearTimeout(this.#retryTimer)
    this.#retryTimer = undefined
    void this.#open(isQuiet)
  }

  close(): void {
    this.#savePosition()
    this.#closing.abort()
    const { player, notice } = this.#view
    notice.hide()
    void player.engine?.close()
    player.engine = undefined
  }

  /** Reads `about.json` again and shows what has changed. Returns null if that failed or nothing was loaded yet. */
  async refresh(): Promise<Source | null> {
    const { base } = this.#view.player.source ?? {}
    const source = base === undefined ? null : await readAbout(base, this.#closing.signal).catch(() => null)
    if (source) this.#applySource(source)
    return source
  }

  async #open(isQuiet = false): Promise<void> {
    const { player } = this.#view
    const load = ++this.#loadCount
    this.#hasFailed = false
    // Automatic retries keep the error on the screen until they succeed.
    if (!isQuiet) this.#view.setState('loading')
    // Loads the engine in parallel with `about.json`, because it takes longer.
    const engine = loadShaka()
    engine.catch(() => undefined)
    try {
      const source = await readAbout(this.#base, this.#closing.signal)
      this.#base = source.base
      this.#applySource(source)
      const { status } = source.about
      if (status === 'pending' || status === 'failed') throw new PlaybackError(status, status)
      await player.engine?.close()
      const fail = (error: PlaybackError) => this.#fail(error)
      player.engine = await openEngine(await engineOrOfflineError(engine), player.video, fail)
      await this.#load(source, load)
    } catch (error) {
      if (!this.#closing.signal.aborted && !isInterrupted(error)) this.#fail(error)
    }
  }

  async #load(source: Source, load: number): Promise<void> {
    const { player, captions, timeline, notice } = this.#view
    const start = this.#startPosition(source)
    await player.engine?.load(source, playlistPosition(source, start.seconds))
    await waitForMetadata(player.video)
    if (load !== this.#loadCount || this.#closing.signal.aborted) return
    if (this.#hasFailed) return
    captions.apply()
    timeline.build()
    this.#view.setState('ready')
    this.#view.update()
    const { title } = source.about
    this.#host.dispatchEvent(new CustomEvent('ready', { detail: { title } }))
    if (start.isResumed) {
      notice.show(messages.resumed(clock(start.seconds ?? 0)), messages.startOver, () => player.seek(0))
    }
    const isPlaying = this.#resumeAt?.isPlaying ?? this.#host.hasAttribute('autoplay')
    this.#resumeAt = undefined
    // If the browser requires a user gesture, the play button stays visible.
    if (isPlaying) void player.play().catch(() => undefined)
  }

  #startPosition({ about }: Source): StartPosition {
    if (this.#resumeAt) return { seconds: this.#resumeAt.seconds, isResumed: false }
    const linked = this.#isLinked ? linkedTime(location.hash, about.chapters) : undefined
    const requested = linked ?? parseTime(this.#host.getAttribute('start') ?? '')
    if (requested !== undefined) {
      return { seconds: this.#view.player.timeOfStart(requested), isResumed: false }
    }
    const saved = this.#isResuming ? savedPosition(about.id) : undefined
    const isInside = saved !== undefined && saved < (about.duration ?? 0)
    return isInside ? { seconds: saved, isResumed: true } : { seconds: undefined, isResumed: false }
  }

  get #isLinked(): boolean {
    return this.#host.hasAttribute('deep-link')
  }

  get #isResuming(): boolean {
    return this.#host.getAttribute('resume') !== 'off'
  }

  #followLink(): void {
    const { player } = this.#view
    const time = this.#isLinked ? linkedTime(location.hash, player.about?.chapters ?? []) : undefined
    if (time === undefined || !player.engine) return
    player.seekToStart(time)
    void player.play().catch(() => undefined)
  }

  #applySource(source: Source): void {
    const { player, captions, timeline, watermark } = this.#view
    const { about, base } = source
    const isUnchanged = (read: (source: Source) => unknown) =>
      player.source !== undefined && read(player.source) === read(source)
    const hasSubtitles = isUnchanged(({ base, about }) => base + about.subtitles.map(({ id }) => id).join(' '))
    const hasStoryboard = isUnchanged(({ about }) => about.storyboard)
    player.setSource(source)
    this.#view.setTitle(about.title)
    const poster = this.#host.getAttribute('poster')
    this.#view.setPoster(poster ?? (about.poster && absolute(about.poster, base)))
    watermark.show(about.watermark)
    // Picture-in-picture and remote playback would show the video without the watermark.
    player.video.disablePictureInPicture = about.watermark !== null
    player.video.disableRemotePlayback = about.watermark !== null
    if (!hasSubtitles) captions.setSource(source)
    timeline.build()
    this.#view.update()
    if (!hasStoryboard) void this.#loadStoryboard(source)
  }

  async #loadStoryboard({ about, base }: Source): Promise<void> {
    const { player } = this.#view
    player.tiles = []
    if (about.storyboard === null) return
    player.tiles = await readStoryboard(absolute(about.storyboard, base), this.#closing.signal)
  }

  /** Loads new segments, qualities, previews and captions while the video is being processed. */
  async #poll(): Promise<void> {
    const { player } = this.#view
    if (player.about?.status !== 'processing' || !player.engine) return
    const source = await this.refresh()
    if (!source) return
    const heights = player.engine.qualities().map(({ height }) => height)
    const best = Math.max(0, ...source.about.heights)
    if (source.about.status !== 'complete' || heights.includes(best)) return
    this.#view.notice.show(messages.higherQuality, messages.switchQuality, () => {
      this.#resumeAt = { seconds: player.time, isPlaying: !player.video.paused }
      void this.#open()
    })
  }

  #savePosition(): void {
    const { about, time, ended, duration } = this.#view.player
    if (about && this.#isResuming && time > 0) {
      savePosition(about.id, ended ? duration : time, duration)
    }
  }

  #fail(error: unknown): void {
    const isPlaybackError = error instanceof PlaybackError
    const playbackError = isPlaybackError ? error : new PlaybackError('broken', String(error))
    const { video, time } = this.#view.player
    if (time > 0) {
      this.#resumeAt = { seconds: time, isPlaying: !video.paused }
    }
    video.pause()
    this.#hasFailed = true
    this.#report(playbackError)
    const { retrySeconds } = errorMessages[playbackError.code]
    clearTimeout(this.#retryTimer)
    if (retrySeconds !== undefined) {
      this.#retryTimer = setTimeout(() => this.retry(true), retrySeconds * 1000)
    }
  }

  /** Reports an error once, not again for each failed retry. */
  #report({ code, message, reason }: PlaybackError): void {
    const { frame } = this.#view
    if (frame.dataset['state'] === 'fault' && frame.dataset['fault'] === code) return
    frame.dataset['fault'] = code
    this.#view.setState('fault', code)
    this.#host.dispatchEvent(new CustomEvent('error', { detail: { code, message, reason } }))
  }
}

/** Where a video starts in its playlist; undefined for its beginning. */
function playlistPosition({ about }: Source, seconds: number | undefined): number | undefined {
  if (seconds === undefined && offsetOf(about) === 0) return undefined
  return positionOf(about, seconds ?? 0, 0)
}

/** Maximum time to wait for metadata: some browsers load none before the viewer presses play. */
const METADATA_TIMEOUT_MILLISECONDS = 3000

/** Waits for metadata, because setting `currentTime` has no effect before metadata is loaded. */
async function waitForMetadata(video: HTMLVideoElement): Promise<void> {
  if (video.readyState >= video.HAVE_METADATA) return
  await new Promise<void>((resolve) => {
    video.addEventListener('loadedmetadata', () => resolve(), { once: true })
    setTimeout(resolve, METADATA_TIMEOUT_MILLISECONDS)
  })
}

/**
 * Waits for the engine. If its code cannot be loaded, the viewer is probably offline, so the error `offline` is
 * reported.
 */
async function engineOrOfflineError(engine: ReturnType<typeof loadShaka>) {
  try {
    return await engine
  } catch (error) {
    throw new PlaybackError('offline', String(error))
  }
}
