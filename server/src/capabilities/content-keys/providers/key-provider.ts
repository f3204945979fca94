/**
 * Where the keys of a video come from. Whoever encodes asks; what a provider says is held to be
 * true, but never taken on trust.
 */
import type { DashProtection } from '@reelkeep/media'
import type { DrmKeys, DrmLabel } from '../drm-keys.ts'

export const providerNames = ['clearkey', 'speke'] as const
export type ProviderName = (typeof providerNames)[number]

/** How players of the contracted systems come to a key, for one kind of track. */
export type Signalling = {
  readonly label: DrmLabel
  readonly hlsKeys: readonly string[]
  readonly hlsSessionKeys: readonly string[]
  readonly dash: readonly DashProtection[]
}

export type ProvidedKeys = DrmKeys & {
  /** Empty of our own: manifests are then written for the licence server of the service. */
  readonly signalling: readonly Signalling[]
}

export type KeyWish = {
  /** By which the provider knows the video. */
  readonly contentId: string
  readonly scheme: DrmKeys['scheme']
  /** Key ids and vectors are ours to choose, the keys themselves only ClearKey's. */
  readonly derived: DrmKeys['keys']
}

export type KeyProvider = {
  readonly name: ProviderName
  /** @throws KeyProviderFailed */
  keysFor(wish: KeyWish, signal: AbortSignal): Promise<ProvidedKeys>
}

/**
 * `missing`: none is set up that made the first keys of the video. `refused`: it says no.
 * `unavailable`: it says nothing. `unreadable`: what it says is not what the protocol has.
 * `other-keys`: the video has been begun with others.
 */
type Reason = 'missing' | 'refused' | 'unavailable' | 'unreadable' | 'other-keys'

/** The message is for the log: it may hold what the provider said. */
export class KeyProviderFailed extends Error {
  override readonly name = 'KeyProviderFailed'
  readonly reason: Reason

  constructor(reason: Reason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }

  /** Asked again a little later, it may well go. */
  get isPassing(): boolean {
    return this.reason === 'unavailable' || this.reason === 'unreadable'
  }
}
