/** Who sees what is protected. */
import { refused } from '../../../kernel/errors.ts'
import { assertOpens, type Viewer } from '../../access-tokens/access-tokens.ts'
import type { Asset } from '../../assets/assets.ts'

export type ProtectionState = Pick<Asset, 'contentProtection'> & {
  /** It has keys; what was made before there were any lies in the clear, and is never sent. */
  readonly hasKeys: boolean
}

/** In whole and in pieces. What is protected is for those alone whom somebody has let in. */
export function assertMayPlay(
  { contentProtection, hasKeys }: ProtectionState,
  viewer: Viewer,
): void {
  assertOpens(viewer, contentProtection)
  if (contentProtection !== 'disable' && !hasKeys) throw hasNoKeys()
}

const hasNoKeys = () =>
  refused(
    'not_found',
    'This video is to be protected, and was made before it could be. Upload it again.',
  )
