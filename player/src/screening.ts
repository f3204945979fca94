/** One source being shown, from its address to its last picture, and what is done when something is in the way. */
import { absolute, baseOf, readAbout, type Source } from './about.ts'
import { placeOf } from './deep-link.ts'
import { isInterruption, loadShaka, openEngine } from './engine.ts'
import { faultWords, PlaybackFault } from './faults.ts'
import { keepPlace, placeIn } from './memory.ts'
import { readStoryboard } from './storyboard.ts'
import { clock, parseTime } from './time.ts'
import type { View } from './view/view.ts'
import { words } from './words.ts'

const KEEP_MILLISECONDS = 5000
/** How often a video that is still made is looked at. */
const LOOK_MILLISECONDS = 5000

type Place = { readonly seconds: number | undefined; readonly isResumed: boolean }

export class Screening {
  readonly #host: HTMLElement
  readonly #view: View
  /** A pass for one time leads to another one, which is what is used from then on. */
  #base: string
  readonly #closing = new AbortController()
  #retryTimer: ReturnType<typeof setTimeout> | undefined
  /** Counts the attempts: one that was overtaken does nothing more. */
  #shows = 0
  #hasFailed = false
  /** After a fault it goes on from here. */
  #goOn: { readonly seconds: number; readonly isPlaying: boolean } | undefined

  constructor(host: HTMLElement, view: View, src: string) {
    this.#host = host
    this.#view = view
    this.#base = baseOf(src)
  }

  begin(): void {
    const { signal } = this.#closing
    this.#view.deck.frame.classList.remove('begun')
    globalThis.addEventListener('hashchange', () => this.#followLink(), { signal })
    globalThis.addEventListener('online', () => this.#retryTimer && this.retry(), { signal })
    globalThis.addEventListener('pagehide', () => this.#keep(), { signal })
    const { video } = this.#view.deck
    for (const event of ['pause', 'ended'])
      video.addEventListener(event, () => this.#keep(), { signal })
    const keeping = setInterval(() => !video.paused && this.#keep(), KEEP_MILLISECONDS)
    const looking = setInterval(() => void this.#look(), LOOK_MILLISECONDS)
    signal.addEventListener('abort', () => {
      clearInterval(keeping)
      clearInterval(looking)
      clearTimeout(this.#retryTimer)
    })
    void this.#show()
  }

  retry(isQuiet = false): void {
    clearTimeout(this.#retryTimer)
    this.#retryTimer = undefined
    void this.#show(isQuiet)
  }

  close(): void {
    this.#keep()
    this.#closing.abort()
    const { deck, notice } = this.#view
    notice.hide()
    void deck.engine?.close()
    deck.engine = undefined
  }

  async #show(isQuiet = false): Promise<void> {
    const { deck } = this.#view
    const show = ++this.#shows
    this.#hasFailed = false
    // What is tried again by itself changes nothing on the screen until it helps.
    if (!isQuiet) this.#view.setState('loading')
    // Both at once: what is known of it is a moment's work, the engine is not.
    const engine = loadShaka()
    engine.catch(() => undefined)
    try {
      const source = await readAbout(this.#base, this.#closing.signal)
      this.#base = source.base
      this.#know(source)
      const { course } = source.about
      if (course === 'awaited' || course === 'lost') throw new PlaybackFault(course, course)
      await deck.engine?.close()
      const fail = (fault: PlaybackFault) => this.#fail(fault)
      deck.engine = await openEngine(await engineOrOffline(engine), deck.video, fail)
      await this.#load(source, show)
    } catch (error) {
      if (!this.#closing.signal.aborted && !isInterruption(error)) this.#fail(error)
    }
  }

  async #load(source: Source, show: number): Promise<void> {
    const { deck, captions, timeline, notice } = this.#view
    const place = this.#placeToStart(source)
    await deck.engine?.load(source, place.seconds)
    await metadataOf(deck.video)
    if (show !== this.#shows || this.#closing.signal.aborted) return
    if (this.#hasFailed) return
    captions.apply()
    timeline.build()
    this.#view.setState('ready')
    this.#view.update()
    const { title } = source.about
    this.#host.dispatchEvent(new CustomEvent('ready', { detail: { title } }))
    if (place.isResumed) {
      notice.show(words.resumed(clock(place.seconds ?? 0)), words.startOver, () => deck.seek(0))
    }
    const isPlaying = this.#goOn?.isPlaying ?? this.#host.hasAttribute('autoplay')
    this.#goOn = undefined
    // A browser that wants a touch first is shown the button.
    if (isPlaying) void deck.play().catch(() => undefined)
  }

  #placeToStart({ about }: Source): Place {
    if (this.#goOn) return { seconds: this.#goOn.seconds, isResumed: false }
    const linked = this.#isLinked ? placeOf(location.hash, about.chapters) : undefined
    const told = linked ?? parseTime(this.#host.getAttribute('start') ?? '')
    if (told !== undefined) return { seconds: told, isResumed: false }
    const kept = this.#isResuming ? placeIn(about.id) : undefined
    const isInside = kept !== undefined && kept < (about.duration ?? 0)
    return isInside ? { seconds: kept, isResumed: true } : { seconds: undefined, isResumed: false }
  }

  get #isLinked(): boolean {
    return this.#host.hasAttribute('deep-link')
  }

  get #isResuming(): boolean {
    return this.#host.getAttribute('resume') !== 'off'
  }

  #followLink(): void {
    const { deck } = this.#view
    const place = this.#isLinked ? placeOf(location.hash, deck.about?.chapters ?? []) : undefined
    if (place === undefined || !deck.engine) return
    deck.seek(place)
    void deck.play().catch(() => undefined)
  }

  #know(source: Source): void {
    const { deck, captions, timeline, watermark } = this.#view
    const { about, base } = source
    const isKnown = (told: (source: Source) => unknown) =>
      deck.source !== undefined && told(deck.source) === told(source)
    const hasSubtitles = isKnown(
      (one) => one.base + one.about.subtitles.map(({ id }) => id).join(' '),
    )
    const hasStoryboard = isKnown((one) => one.about.storyboard)
    deck.know(source)
    this.#view.setTitle(about.title)
    const own = this.#host.getAttribute('poster')
    this.#view.setPoster(own ?? (about.poster && absolute(about.poster, base)))
    watermark.show(about.watermark)
    // A window of its own, and another device, show the bare picture.
    deck.video.disablePictureInPicture = about.watermark !== null
    deck.video.disableRemotePlayback = about.watermark !== null
    if (!hasSubtitles) captions.know(source)
    timeline.build()
    this.#view.update()
    if (!hasStoryboard) void this.#readPictures(source)
  }

  async #readPictures({ about, base }: Source): Promise<void> {
    const { deck } = this.#view
    deck.tiles = []
    if (about.storyboard === null) return
    deck.tiles = await readStoryboard(absolute(about.storyboard, base), this.#closing.signal)
  }

  /** A video that is still made gets longer, then better, and gets its pictures and captions. */
  async #look(): Promise<void> {
    const { deck } = this.#view
    if (deck.about?.course !== 'growing' || !deck.engine) return
    const source = await readAbout(deck.source?.base ?? '', this.#closing.signal).catch(() => null)
    if (!source) return
    this.#know(source)
    const heights = deck.engine.qualities().map(({ height }) => height)
    const best = Math.max(0, ...source.about.heights)
    if (source.about.course !== 'whole' || heights.includes(best)) return
    this.#view.notice.show(words.betterPicture, words.switchPicture, () => {
      this.#goOn = { seconds: deck.video.currentTime, isPlaying: !deck.video.paused }
      void this.#show()
    })
  }

  #keep(): void {
    const { about, video, duration } = this.#view.deck
    if (about && this.#isResuming && video.currentTime > 0) {
      keepPlace(about.id, video.ended ? duration : video.currentTime, duration)
    }
  }

  #fail(error: unknown): void {
    const isKnown = error instanceof PlaybackFault
    const fault = isKnown ? error : new PlaybackFault('broken', String(error))
    const { video } = this.#view.deck
    if (video.currentTime > 0) {
      this.#goOn = { seconds: video.currentTime, isPlaying: !video.paused }
    }
    video.pause()
    this.#hasFailed = true
    this.#tell(fault)
    const { retrySeconds } = faultWords[fault.code]
    clearTimeout(this.#retryTimer)
    if (retrySeconds !== undefined) {
      this.#retryTimer = setTimeout(() => this.retry(true), retrySeconds * 1000)
    }
  }

  /** Once, however often it is tried. */
  #tell({ code, message, reason }: PlaybackFault): void {
    const { frame } = this.#view
    if (frame.dataset['state'] === 'fault' && frame.dataset['fault'] === code) return
    frame.dataset['fault'] = code
    this.#view.setState('fault', code)
    this.#host.dispatchEvent(new CustomEvent('error', { detail: { code, message, reason } }))
  }
}

/** Some browsers look at nothing before somebody presses play; then that is what it waits for. */
const METADATA_MILLISECONDS_MAX = 3000

/** Before it, the video has no place to be at, and forgets the one it is told. */
async function metadataOf(video: HTMLVideoElement): Promise<void> {
  if (video.readyState >= video.HAVE_METADATA) return
  await new Promise<void>((resolve) => {
    video.addEventListener('loadedmetadata', () => resolve(), { once: true })
    setTimeout(resolve, METADATA_MILLISECONDS_MAX)
  })
}

/** The engine is fetched like anything else, and may not arrive. */
async function engineOrOffline(engine: ReturnType<typeof loadShaka>) {
  try {
    return await engine
  } catch (error) {
    throw new PlaybackFault('offline', String(error))
  }
}
