import type { BlockList } from 'node:net'
import type { Networks } from '../capabilities/webhooks/webhooks.ts'
import { familyOf } from '../platform/http/network.ts'
import { isAllowedAddress } from '../platform/outside/addresses.ts'

/** What the addresses of webhooks are judged by: the same as their connections later, as far as it can be seen from an address. */
export const webhookNetworks = (named: BlockList): Networks => ({
  isAllowed: (address) => isAllowedAddress(address, named),
  isNamed: (address) => named.check(address, familyOf(address)),
  areAnyNamed: named.rules.length > 0,
})
