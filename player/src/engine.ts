/**
 * Plays HLS with shaka-player, the same way in every browser. Where Media Source Extensions are missing (older
 * iPhones), shaka-player passes the playlist to the browser's native HLS support.
 */
import type shakaNamespace from 'shaka-player/dist/shaka-player.hls-es2021.js'
import { absolute, type Source } from './about.ts'
import { errorCodeOfEngine, PlaybackError } from './playback-error.ts'
import { repeatSeeks } from './repeat-seek.ts'

type Shaka = typeof shakaNamespace

/** A selectable video quality. */
type Quality = { readonly height: number; readonly id: number }

export type Engine = {
  load(source: Source, startSeconds: number | undefined): Promise<void>
  /** Returns the qualities, largest first. */
  qualities(): Quality[]
  /** Selects a quality; null for automatic selection by bandwidth. */
  choose(quality: Quality | null): void
  chosen(): Quality | null
  /** Height of the current quality. */
  shownHeight(): number | undefined
  /** Returns the end of the seekable range. */
  reach(): number
  close(): Promise<void>
}

/** Loads shaka-player. Called as early as possible, because it is the largest part of the player. */
export const loadShaka = async (): Promise<Shaka> =>
  (await import('shaka-player/dist/shaka-player.hls-es2021.js')).default

/** Retries of failed requests before an error is shown. */
const retry = { maxAttempts: 4, baseDelay: 500, backoffFactor: 2, fuzzFactor: 0.5, timeout: 20_000 }

/**
 * Seconds to buffer before playback: enough to start immediately, without loading much for viewers who never
 * press play.
 */
const BEFORE_PLAY_SECONDS = 4
const AHEAD_SECONDS = 30

const settings = {
  streaming: {
    retryParameters: retry,
    bufferingGoal: BEFORE_PLAY_SECONDS,
    bufferBehind: 60,
    rebufferingGoal: 1,
    // Native HLS support does not cover all features of our streams.
    preferNativeHls: false,
  },
  // The player loads subtitles itself; shaka-player would add a second text track for each language.
  manifest: { retryParameters: retry, disableText: true },
  drm: { retryParameters: { ...retry, maxAttempts: 2 } },
}

export async function openEngine(
  shaka: Shaka,
  video: HTMLVideoElement,
  onError: (error: PlaybackError) => void,
): Promise<Engine> {
  shaka.polyfill.installAll()
  if (!shaka.Player.isBrowserSupported()) {
    throw new PlaybackError('unsupported', 'neither Media Source Extensions nor native HLS')
  }
  const player = new shaka.Player()
  // Before shaka-player listens to the video, because it removes the buffered range after an unbuffered seek.
  repeatSeeks(video, player)
  await player.attach(video)
  player.configure(settings)
  const loadAhead = () => player.configure('streaming.bufferingGoal', AHEAD_SECONDS)
  video.addEventListener('play', loadAhead, { once: true })
  let base = ''
  const wrap = (error: unknown) => toPlaybackError(error, base)
  player.addEventListener('error', (event: Event) => {
    onError(wrap((event as CustomEvent).detail))
  })
  let choice: Quality | null = null
  return {
    async load(source, startSeconds) {
      base = source.base
      const servers = Object.entries(source.about.licenses).map(([system, uri]) => [system, absolute(uri, base)])
      player.configure({ drm: { servers: Object.fromEntries(servers) } })
      try {
        await player.load(absolute(source.about.hls ?? 'master.m3u8', base), startSeconds ?? null)
      } catch (error) {
        throw wrap(error)
      }
    },
    qualities: () => qualitiesOf(player.getVariantTracks()),
    choose(quality) {
      choice = quality
      player.configure('abr.enabled', quality === null)
      const track = player.getVariantTracks().find(({ id }) => id === quality?.id)
      if (track) player.selectVariantTrack(track, true)
    },
    chosen: () => choice,
    shownHeight: () => player.getVariantTracks().find(({ active }) => active)?.height ?? undefined,
    reach: () => player.seekRange().end,
    close: () => player.destroy(),
  }
}

type Variant = { readonly id: number; readonly height: number | null; readonly bandwidth: number }

/** Returns the best variant of each height. */
function qualitiesOf(variants: readonly Variant[]): Quality[] {
  const best = new Map<number, Quality>()
  for (const { id, height } of variants.toSorted((a, b) => a.bandwidth - b.bandwidth)) {
    if (height !== null) best.set(height, { id, height })
  }
  return [...best.values()].sort((a, b) => b.height - a.height)
}

/** Shaka error codes for a load that was replaced by another one; not reported. */
const INTERRUPTED_CODES = [7000, 7001]

export const isInterrupted = (error: unknown) =>
  error instanceof PlaybackError && INTERRUPTED_CODES.some((code) => error.reason === `shaka ${code}`)

function toPlaybackError(error: unknown, base: string): PlaybackError {
  const { category, code, data } = (error ?? {}) as Partial<Parameters<typeof errorCodeOfEngine>[0]>
  if (code === undefined) return new PlaybackError('broken', String(error))
  const engineError = { category: category ?? 0, code, data: data ?? [] }
  return new PlaybackError(errorCodeOfEngine(engineError, base, Date.now()), `shaka ${code}`)
}
