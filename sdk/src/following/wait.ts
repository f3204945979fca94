import type { Asset, AssetProgress } from '../generated/contract.ts'
import type { Caller } from '../http/call.ts'
import { NotFoundError, WaitTimeoutError } from '../http/errors.ts'
import { after, atLeastAsked, isPassing, pause } from '../http/pauses.ts'
import { said } from '../http/said.ts'
import { listen } from './feed.ts'
import { deleted, failureOf, isBehind, progressOf } from './wait.rules.ts'

/** While the stream tells what happens, the asset is asked for only to be sure. */
const LOOK_SECONDS_WITH_STREAM = 30
/** Without one, ever slower up to this. */
const LOOK_SECONDS_MAX = 10
const LOOK_SECONDS_FIRST = 1
/** How long the service may be away before the wait is given up. */
const AWAY_SECONDS_MAX = 300
/** Longer than any video takes; it ends a program that nobody remembers. */
const WAIT_SECONDS_MAX = 24 * 3600

export type WaitOptions = {
  readonly signal?: AbortSignal | undefined
  /** How long to wait in all before a WaitTimeoutError: a day unless told. */
  readonly timeoutSeconds?: number | undefined
  /**
   * Told about once a second while it is processed; without the scope `events:read` less often. It
   * goes backwards only with another status, of a video that begins again.
   */
  readonly onProgress?: ((progress: AssetProgress) => void) | undefined
}

type Goal = { readonly what: string; readonly isDone: (asset: Asset) => boolean }

/**
 * Looks at the asset whenever the stream of events says that something happened to it. Without a
 * stream (the token lacks `events:read`, there are too many, something in between holds it back) it
 * looks every few seconds.
 */
export async function waitUntil(
  caller: Caller,
  id: string,
  { what, isDone }: Goal,
  { signal, timeoutSeconds, onProgress }: WaitOptions = {},
): Promise<Asset> {
  const end = new AbortController()
  const seconds = said(timeoutSeconds) ?? WAIT_SECONDS_MAX
  const late = new WaitTimeoutError(`Asset ${id} was not ${what} within ${seconds} seconds.`)
  const callOff = after(seconds, () => end.abort(late))
  const ended = signal ? AbortSignal.any([signal, end.signal]) : end.signal
  let news: News | undefined
  let told: AssetProgress | undefined
  const tell = (next: AssetProgress, isOvertaken = false) => {
    if (isBehind(next, told, isOvertaken)) return
    told = next
    onProgress?.(next)
  }
  try {
    for (let looks = 0; ; looks++) {
      const toldBefore = told
      const asset = await look(caller, id, ended).catch((error: unknown) => {
        throw looks > 0 && error instanceof NotFoundError ? deleted(id) : error
      })
      tell(progressOf(asset), told !== toldBefore)
      if (isDone(asset)) return asset
      const failure = failureOf(asset)
      if (failure) throw failure
      news ??= newsOf(caller, id, ended, tell)
      await news.next(looks)
    }
  } finally {
    callOff()
    news?.leave()
  }
}

/** Looks again for as long as the service may be away. */
async function look({ call }: Caller, id: string, signal: AbortSignal): Promise<Asset> {
  const givenUpAt = Date.now() + AWAY_SECONDS_MAX * 1000
  for (;;)
    try {
      return await call('readAsset', { params: { asset_id: id } }, { signal })
    } catch (error) {
      signal.throwIfAborted()
      const seconds = atLeastAsked(LOOK_SECONDS_FIRST, error)
      if (!isPassing(error) || Date.now() + seconds * 1000 > givenUpAt) throw error
      await pause(seconds, signal)
    }
}

type News = { readonly next: (looks: number) => Promise<void>; readonly leave: () => void }

/**
 * When to look next: as soon as the stream tells of something, and after a while in any case. The
 * stream rings when it opens, so what happened since the last look is not missed.
 */
function newsOf(
  caller: Caller,
  assetId: string,
  ended: AbortSignal,
  tell: (progress: AssetProgress) => void,
): News {
  let bell = new AbortController()
  let fault: { readonly error: unknown } | undefined
  const { isLive, leave } = listen(caller, {
    assetId,
    onNews: () => bell.abort(),
    onProgress: (progress) => {
      try {
        tell(progress)
      } catch (error) {
        fault ??= { error }
        bell.abort()
      }
    },
  })
  return {
    leave,
    async next(looks) {
      const withoutStream = Math.min(LOOK_SECONDS_FIRST * 1.5 ** looks, LOOK_SECONDS_MAX)
      const seconds = isLive() ? LOOK_SECONDS_WITH_STREAM : withoutStream
      await pause(seconds, AbortSignal.any([ended, bell.signal])).catch(() =>
        ended.throwIfAborted(),
      )
      if (fault) throw fault.error
      bell = new AbortController()
    },
  }
}
