import type { BlockList } from 'node:net'
import type { Networks } from '../../modules/webhooks/webhooks.ts'
import { isAllowedAddress, isConfiguredAddress } from '../../platform/network/addresses.ts'

/** Network rules for webhook URLs: the same as for their connections later, as far as a URL shows it. */
export const webhookNetworks = (named: BlockList): Networks => ({
  isAllowed: (address) => isAllowedAddress(address, named),
  isNamed: (address) => isConfiguredAddress(address, named),
  areAnyNamed: named.rules.length > 0,
})
