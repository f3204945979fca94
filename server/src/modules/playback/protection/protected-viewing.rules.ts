/** Access to protected videos. */
import { refused } from '../../../kernel/errors.ts'
import type { Asset } from '../../assets/assets.ts'
import { assertOpens, type Viewer } from '../../playback-tokens/playback-tokens.ts'

export type ProtectionState = Pick<Asset, 'contentProtection'> & {
  /** Whether the video has keys. A video that was encoded before it had keys is stored unencrypted and never served. */
  readonly hasKeys: boolean
}

/** Applies to manifests and media files. Protected videos require a playback token. */
export function assertMayPlay({ contentProtection, hasKeys }: ProtectionState, viewer: Viewer): void {
  assertOpens(viewer, contentProtection)
  if (contentProtection !== 'disable' && !hasKeys) throw hasNoKeys()
}

const hasNoKeys = () =>
  refused(
    'not_found',
    'This video should be protected but was encoded before protection was available. Upload it again.',
  )
