/** State shared by the parts of a player: the video element, its metadata and the playback actions. */
import type { About, Chapter, Source } from './about.ts'
import type { Engine } from './engine.ts'
import { adjacentStart, type Segment, segmentsOf } from './timeline/chapters.ts'
import { middleOfFrame, timeOfStart } from './timeline/frames.ts'
import { isPart, offsetOf, positionOf } from './timeline/part.ts'
import type { Tile } from './timeline/storyboard.ts'

export const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2]

export class PlayerState {
  readonly video: HTMLVideoElement
  /** Contains all parts of the player; this element goes full screen. */
  readonly frame: HTMLElement
  source: Source | undefined
  engine: Engine | undefined
  segments: readonly Segment[] = [{ start: 0, end: 0, title: null }]
  tiles: readonly Tile[] = []
  /** The last frame of a part of a video was shown. */
  hasPartEnded = false
  /** Chapters that the page shows instead of those of the video. */
  #ownChapters: readonly Chapter[] | undefined

  constructor(video: HTMLVideoElement, frame: HTMLElement) {
    this.video = video
    this.frame = frame
  }

  get about(): About | undefined {
    return this.source?.about
  }

  /** Duration of the complete video, even if it is still being encoded; 0 until known. */
  get duration(): number {
    const { duration } = this.video
    const played = Number.isFinite(duration) ? duration - this.offset : this.engine?.reach()
    return this.about?.duration ?? played ?? 0
  }

  /** The last position that can be played now. */
  get reach(): number {
    if (this.about?.status !== 'processing' && this.about?.status !== 'incomplete') return this.duration
    return Math.min(this.duration, Math.max(0, (this.engine?.reach() ?? 0) - this.offset))
  }

  /** Current time of the video. That of the video element is the time in the playlist. */
  get time(): number {
    return Math.max(0, this.video.currentTime - this.offset)
  }

  /** Seconds of the playlist before the first frame of the video. */
  get offset(): number {
    return offsetOf(this.about)
  }

  /** The playlist has frames that the player does not show. */
  get isPart(): boolean {
    return this.about !== undefined && isPart(this.about, this.#playlistEnd)
  }

  get ended(): boolean {
    return this.video.ended || this.hasPartEnded
  }

  get #playlistEnd(): number {
    return Number.isFinite(this.video.duration) ? this.video.duration : 0
  }

  setSource(source: Source): void {
    this.source = source
    this.segments = segmentsOf(this.chapters, this.duration)
  }

  get chapters(): readonly Chapter[] {
    return this.#ownChapters ?? this.about?.chapters ?? []
  }

  /** Shows these chapters instead of those of the video; undefined ends that. */
  setChapters(chapters: readonly Chapter[] | undefined): void {
    this.#ownChapters = chapters?.toSorted((one, other) => one.start - other.start)
    this.segments = segmentsOf(this.chapters, this.duration)
  }

  seek(seconds: number): void {
    this.video.currentTime = positionOf(this.about, Math.max(0, Math.min(seconds, this.reach)), this.#playlistEnd)
  }

  /** Seeks to exactly the frame that starts at this time, for example the first one of a chapter. */
  seekToStart(seconds: number): void {
    this.seek(this.timeOfStart(seconds))
  }

  timeOfStart(seconds: number): number {
    return timeOfStart(this.about?.frame_rate, seconds, this.duration)
  }

  /** Pauses and shows the frame this many frames later, or earlier if negative. No effect until the rate is known. */
  step(frames: number): void {
    const rate = this.about?.frame_rate
    if (!rate) return
    this.video.pause()
    this.seek(middleOfFrame(rate, this.time, { step: frames, duration: this.duration }))
  }

  skip(seconds: number): void {
    this.seek(this.time + seconds)
  }

  skipChapter(step: -1 | 1): void {
    const start = adjacentStart(this.segments, this.time, step)
    if (start !== undefined) this.seekToStart(start)
  }

  /** Starts playback. Rejects if the browser requires a user gesture first. */
  play(): Promise<void> {
    if (this.hasPartEnded) this.seek(0)
    return this.video.play()
  }

  toggle(): void {
    if (this.video.paused || this.ended) void this.play().catch(() => undefined)
    else this.video.pause()
  }

  changeVolume(step: number): void {
    this.video.volume = Math.max(0, Math.min(1, Math.round((this.video.volume + step) * 100) / 100))
    this.video.muted = this.video.volume === 0
  }

  changeSpeed(step: -1 | 1): void {
    const index = SPEEDS.indexOf(this.video.playbackRate)
    this.video.playbackRate = SPEEDS[index + step] ?? this.video.playbackRate
  }

  /** Whether picture-in-picture is allowed. False for watermarked videos, which it would show without the watermark. */
  get canFloat(): boolean {
    return document.pictureInPictureEnabled === true && !this.about?.watermark
  }

  async toggleFloating(): Promise<void> {
    if (document.pictureInPictureElement) return document.exitPictureInPicture()
    if (this.canFloat) await this.video.requestPictureInPicture()
  }

  get isFull(): boolean {
    const root = this.frame.getRootNode() as ShadowRoot
    return root.fullscreenElement === this.frame
  }

  async toggleFull(): Promise<void> {
    if (this.isFull) return document.exitFullscreen()
    const { video } = this
    if (document.fullscreenEnabled) return this.frame.requestFullscreen()
    // On iPhones only the video element can go full screen.
    if ('webkitEnterFullscreen' in video) (video.webkitEnterFullscreen as () => void)()
  }
}
