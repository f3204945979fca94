import type { BlockList } from 'node:net'
import type { Networks } from '../../modules/webhooks/webhooks.ts'
import { isAllowedAddress, isConfiguredAddress } from '../../platform/network/addresses.ts'

/** Network rules for webhook URLs: the same as for their connections later, as far as a URL shows it. */
export const webhookNetworks = (allowed: BlockList): Networks => ({
  isAllowed: (address) => isAllowedAddress(address, allowed),
  isInAllowedNetwork: (address) => isConfiguredAddress(address, allowed),
  hasAllowedNetworks: allowed.rules.length > 0,
})
