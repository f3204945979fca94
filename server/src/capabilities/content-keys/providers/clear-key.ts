import { commonPssh } from '@reelkeep/media'
import type { KeyProvider } from './key-provider.ts'

/**
 * Keys that are derived from the organization's master key, for the licence server of the service
 * itself. It asks nobody.
 */
export const clearKey: KeyProvider = {
  name: 'clearkey',
  keysFor: async ({ scheme, derived }) => ({
    ...{ scheme, keys: derived, signalling: [] },
    pssh: [commonPssh(derived.map(({ kid }) => kid))],
  }),
}
