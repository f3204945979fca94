/**
 * Plays HLS by shaka-player, in every browser the same way. Where the browser has no way to be
 * given pieces of a video (an iPhone of some years ago), the engine hands it the playlist itself.
 */
import type shakaNamespace from 'shaka-player/dist/shaka-player.hls-es2021.js'
import { absolute, type Source } from './about.ts'
import { faultOfEngine, PlaybackFault } from './faults.ts'

type Shaka = typeof shakaNamespace

/** A picture to choose from. */
type Quality = { readonly height: number; readonly id: number }

export type Engine = {
  load(source: Source, startSeconds: number | undefined): Promise<void>
  /** Largest first. */
  qualities(): Quality[]
  /** Null: whatever the line bears. */
  choose(quality: Quality | null): void
  chosen(): Quality | null
  /** Of the picture that is shown now. */
  shownHeight(): number | undefined
  /** How far the video reaches by now. */
  reach(): number
  close(): Promise<void>
}

/** Asked for as early as possible: it is the largest part of the player. */
export const loadShaka = async (): Promise<Shaka> =>
  (await import('shaka-player/dist/shaka-player.hls-es2021.js')).default

/** Of lost pieces, before the viewer is told. */
const retry = { maxAttempts: 4, baseDelay: 500, backoffFactor: 2, fuzzFactor: 0.5, timeout: 20_000 }

/** Enough to begin at once; whoever only passes by loads no more than that. */
const BEFORE_PLAY_SECONDS = 4
const AHEAD_SECONDS = 30

const settings = {
  streaming: {
    retryParameters: retry,
    bufferingGoal: BEFORE_PLAY_SECONDS,
    bufferBehind: 60,
    rebufferingGoal: 1,
    // Some browsers play HLS themselves, but not all of ours.
    preferNativeHls: false,
  },
  manifest: { retryParameters: retry },
  drm: { retryParameters: { ...retry, maxAttempts: 2 } },
}

export async function openEngine(
  shaka: Shaka,
  video: HTMLVideoElement,
  onFault: (fault: PlaybackFault) => void,
): Promise<Engine> {
  shaka.polyfill.installAll()
  if (!shaka.Player.isBrowserSupported()) {
    throw new PlaybackFault('unsupported', 'Neither pieces nor playlists can be played.')
  }
  const player = new shaka.Player()
  await player.attach(video)
  player.configure(settings)
  const loadAhead = () => player.configure('streaming.bufferingGoal', AHEAD_SECONDS)
  video.addEventListener('play', loadAhead, { once: true })
  let base = ''
  const toFault = (error: unknown) => faultOf(error, base)
  player.addEventListener('error', (event: Event) => {
    onFault(toFault((event as CustomEvent).detail))
  })
  let choice: Quality | null = null
  return {
    async load(source, startSeconds) {
      base = source.base
      const servers = Object.entries(source.about.licences).map(([system, uri]) => [
        system,
        absolute(uri, base),
      ])
      player.configure({ drm: { servers: Object.fromEntries(servers) } })
      try {
        await player.load(absolute(source.about.hls ?? 'master.m3u8', base), startSeconds ?? null)
      } catch (error) {
        throw toFault(error)
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

/** One of each height. */
function qualitiesOf(variants: readonly Variant[]): Quality[] {
  const best = new Map<number, Quality>()
  for (const { id, height } of variants.toSorted((a, b) => a.bandwidth - b.bandwidth)) {
    if (height !== null) best.set(height, { id, height })
  }
  return [...best.values()].sort((a, b) => b.height - a.height)
}

/** Loading was given up for another source: nobody is told. */
const INTERRUPTED = [7000, 7001]

export const isInterruption = (error: unknown) =>
  error instanceof PlaybackFault && INTERRUPTED.some((code) => error.reason === `shaka ${code}`)

function faultOf(error: unknown, base: string): PlaybackFault {
  const { category, code, data } = (error ?? {}) as Partial<Parameters<typeof faultOfEngine>[0]>
  if (code === undefined) return new PlaybackFault('broken', String(error))
  const told = { category: category ?? 0, code, data: data ?? [] }
  return new PlaybackFault(faultOfEngine(told, base, Date.now()), `shaka ${code}`)
}
