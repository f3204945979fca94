/** Interface of key providers. Their responses are validated like untrusted input. */
import type { DashProtection } from '@reelkeep/media'
import type { DrmKeys, DrmLabel } from '../drm-keys.ts'

export const providerNames = ['clearkey', 'speke'] as const
export type ProviderName = (typeof providerNames)[number]

/** Manifest data with which players of the provider's DRM systems request the key of one kind of track. */
export type Signalling = {
  readonly label: DrmLabel
  readonly hlsKeys: readonly string[]
  readonly hlsSessionKeys: readonly string[]
  readonly dash: readonly DashProtection[]
}

export type ProvidedKeys = DrmKeys & {
  /** Manifest data; empty for ClearKey, for which the manifests refer to the service's own license server. */
  readonly signalling: readonly Signalling[]
}

export type KeyRequest = {
  /** Identifies the video to the provider. */
  readonly contentId: string
  readonly scheme: DrmKeys['scheme']
  /**
   * Keys derived from the master key. Only ClearKey uses the keys themselves; other providers use their ids and
   * initialization vectors.
   */
  readonly derived: DrmKeys['keys']
}

export type KeyProvider = {
  readonly name: ProviderName
  /** @throws KeyProviderFailed */
  keysFor(request: KeyRequest, signal: AbortSignal): Promise<ProvidedKeys>
}

/**
 * `missing`: the provider of the video is not configured. `refused`: it refused the request. `unavailable`: it did not
 * respond. `unreadable`: invalid response. `other-keys`: it returned other keys than before.
 */
type Reason = 'missing' | 'refused' | 'unavailable' | 'unreadable' | 'other-keys'

/** The message is for the log only: it may contain the provider's response. */
export class KeyProviderFailed extends Error {
  override readonly name = 'KeyProviderFailed'
  readonly reason: Reason

  constructor(reason: Reason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }

  /** Whether a retry may succeed. */
  get isTransient(): boolean {
    return this.reason === 'unavailable' || this.reason === 'unreadable'
  }
}
