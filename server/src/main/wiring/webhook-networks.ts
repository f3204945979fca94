import type { BlockList } from 'node:net'
import type { Networks } from '../../modules/webhooks/webhooks.ts'
import { isAllowedAddress, isConfiguredAddress } from '../../platform/network/addresses.ts'

/**
 * Network rules for webhook URLs. They are the same as for later connections, as far as they can be checked before the
 * host name is resolved.
 */
export const webhookNetworks = (allowed: BlockList): Networks => ({
  isAllowed: (address) => isAllowedAddress(address, allowed),
  isInAllowedNetwork: (address) => isConfiguredAddress(address, allowed),
  hasAllowedNetworks: allowed.rules.length > 0,
})
