import { commonPssh } from '@reelkeep/media'
import type { KeyProvider } from './key-provider.ts'

/** Keys derived from the organization's master key, for the service's own license server. */
export const clearKey: KeyProvider = {
  name: 'clearkey',
  keysFor: async ({ scheme, derived }) => ({
    ...{ scheme, keys: derived, signalling: [] },
    pssh: [commonPssh(derived.map(({ kid }) => kid))],
  }),
}
