/**
 * The position of the player, for the timeline. While the video plays, listeners are called for each frame of the
 * screen, because `timeupdate` comes four times a second only. They change elements without React.
 */
import type { PlayerElement } from '../../video/player/player-element.ts'
import { frameAt, frameMiddle, frameStart, shownFrame } from '../timeline/frames.ts'
import type { Video } from '../timeline/zoom.ts'

const positionEvents = ['timeupdate', 'ended', 'pause']

export class Playhead {
  readonly #video: Video
  readonly #listeners = new Set<() => void>()
  #player: PlayerElement | undefined
  /** The position that was asked for, until the player shows it. */
  #target: number | undefined
  /** Asked for while the player was seeking. */
  #next: number | undefined
  /** Before it is ready, the player loses its position. */
  #isReady = false
  #isSeeking = false
  #frameRequest = 0

  constructor(video: Video) {
    this.#video = video
  }

  /** Follows a player until the returned function is called. */
  follow(player: PlayerElement | null): () => void {
    if (!player) return () => {}
    const end = new AbortController()
    const listen = (name: string, listener: () => void) => player.addEventListener(name, listener, end)
    this.#player = player
    for (const name of positionEvents) listen(name, () => this.#notify())
    listen('ready', () => {
      this.#isReady = true
      if (this.#target !== undefined) this.seek(this.#target)
    })
    listen('seeking', () => {
      this.#isSeeking = true
    })
    listen('seeked', () => this.#onSeeked())
    listen('play', () => this.#run())
    listen('playing', () => {
      if (!this.#isSeeking) this.#target = undefined
    })
    return () => {
      end.abort()
      cancelAnimationFrame(this.#frameRequest)
      this.#isReady = false
      this.#isSeeking = false
      this.#player = undefined
    }
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get isPlaying(): boolean {
    return this.#player?.paused === false
  }

  /** Milliseconds. While the video does not play, the start of the frame that is shown. */
  get ms(): number {
    const { durationMs, rate } = this.#video
    if (this.#target !== undefined) return this.#target
    const ms = Math.min((this.#player?.currentTime ?? 0) * 1000, durationMs)
    return this.isPlaying ? ms : this.#frameStart(shownFrame(rate, ms))
  }

  /** The start of the frame that is shown. */
  get frameMs(): number {
    return this.#frameStart(frameAt(this.#video.rate, this.ms))
  }

  #frameStart(frame: number): number {
    return Math.min(frameStart(this.#video.rate, frame), this.#video.durationMs)
  }

  /** Shows the frame at a time. If the player is still seeking, the last position counts. */
  seek(ms: number): void {
    const { durationMs, rate } = this.#video
    const frame = frameAt(rate, Math.max(0, Math.min(ms, durationMs - 1)))
    this.#target = this.#frameStart(frame)
    if (this.#isSeeking) this.#next = ms
    else if (this.#isReady) this.#player?.seek(frameMiddle(rate, frame) / 1000)
    this.#notify()
  }

  /** Pauses, so that the frame stays. */
  step(frames: number): void {
    this.#player?.pause()
    this.seek(frameStart(this.#video.rate, Math.max(0, frameAt(this.#video.rate, this.ms) + frames)))
  }

  pause(): void {
    this.#player?.pause()
  }

  toggle(): void {
    if (this.isPlaying) this.#player?.pause()
    else this.#player?.play().catch(() => undefined)
  }

  #onSeeked(): void {
    this.#isSeeking = false
    const next = this.#next
    this.#next = undefined
    this.#target = undefined
    if (next === undefined) this.#notify()
    else this.seek(next)
  }

  #run(): void {
    cancelAnimationFrame(this.#frameRequest)
    const tick = () => {
      this.#notify()
      if (this.isPlaying) this.#frameRequest = requestAnimationFrame(tick)
    }
    tick()
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}
