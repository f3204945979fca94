/** The keys of a video under common encryption, for the steps that make or read its segments. */
import type { Encryption } from '@reelkeep/media'
import type { Failure } from '../../assets/assets.ts'
import { encryptionKeys, KeyProviderFailed } from '../../content-keys/content-keys.ts'
import { type StepContext, UnusableFile } from './step.ts'

type WithKeys = Pick<StepContext, 'asset' | 'db' | 'keyRing' | 'drm' | 'signal' | 'number'>

/** Undefined of a video that has none. `attemptsMax` is how often the step may be tried. */
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

/**
 * A provider that is away is asked again, as long as there are attempts; with the others somebody
 * has to do something first.
 */
export const meaningOf = (error: KeyProviderFailed, isLast: boolean): Error =>
  error.isPassing && !isLast
    ? error
    : new UnusableFile(
        { code: 'key_provider_failed', detail: details[error.reason] },
        { cause: error },
      )

const afterwards = 'Once whoever runs the service has mended that, retry.'

const details: Record<KeyProviderFailed['reason'], Failure['detail']> = {
  missing: `The video is to be protected by DRM, and the service has no key provider for it (DRM_PROVIDER). ${afterwards}`,
  refused: `The key provider refused to give keys for the video; its words are in the log. ${afterwards}`,
  unavailable: `The key provider did not answer, however often it was asked. ${afterwards}`,
  unreadable: `The key provider answered with something that holds no keys. ${afterwards}`,
  'other-keys': `The key provider gave other keys than those that the video was begun with. Once it gives the first ones again, retry; else upload the file anew.`,
}
