import type { BlockList } from 'node:net'
import type { Networks } from '../capabilities/webhooks/webhooks.ts'
import { isAllowedAddress, isNamedAddress } from '../platform/outside/addresses.ts'

/**
 * What the addresses of webhooks are judged by: the same as their connections later, as far as it
 * can be seen from an address.
 */
export const webhookNetworks = (named: BlockList): Networks => ({
  isAllowed: (address) => isAllowedAddress(address, named),
  isNamed: (address) => isNamedAddress(address, named),
  areAnyNamed: named.rules.length > 0,
})
