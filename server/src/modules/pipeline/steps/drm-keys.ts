/** Keys of a video under Common Encryption, for the steps that write or read its segments. */
import type { Encryption } from '@reelkeep/media'
import type { Failure } from '../../assets/assets.ts'
import { encryptionKeys, KeyProviderFailed } from '../../content-keys/content-keys.ts'
import { type StepContext, UnusableFile } from './step.ts'

type WithKeys = Pick<StepContext, 'asset' | 'db' | 'keyRing' | 'drm' | 'signal' | 'number'>

/** Undefined for a video without DRM. `attemptsMax` is the step's maximum number of attempts. */
export async function encryptionOf(
  context: WithKeys,
  attemptsMax = Number.POSITIVE_INFINITY,
): Promise<Encryption | undefined> {
  const { asset, db, signal, number } = context
  if (asset.contentProtection !== 'drm') return undefined
  try {
    return await encryptionKeys(context, db, asset, signal)
  } catch (error) {
    throw error instanceof KeyProviderFailed ? meaningOf(error, number >= attemptsMax) : error
  }
}

/** Temporary failures are retried while attempts are left; for all others, the operator has to act first. */
export const meaningOf = (error: KeyProviderFailed, isLast: boolean): Error =>
  error.isTransient && !isLast
    ? error
    : new UnusableFile(
        { code: 'key_provider_failed', detail: details[error.reason] },
        { cause: error },
      )

const afterwards = 'Retry once the operator of the service has fixed this.'

const details: Record<KeyProviderFailed['reason'], Failure['detail']> = {
  missing: `The video should be protected by DRM, but the service has no key provider (DRM_PROVIDER). ${afterwards}`,
  refused: `The key provider refused to provide keys for the video; its response is in the log. ${afterwards}`,
  unavailable: `The key provider did not respond after several attempts. ${afterwards}`,
  unreadable: `The key provider's response contained no keys. ${afterwards}`,
  'other-keys': `The key provider returned different keys than when processing started. Retry once it returns the first ones again; otherwise upload the file again.`,
}
