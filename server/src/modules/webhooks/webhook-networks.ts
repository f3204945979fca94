/** Private networks that the operator allows for the webhooks of an organization. */
import { refused } from '../../kernel/errors.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { isPublicAddress } from '../../platform/network/addresses.ts'
import { isNetworkPort, toNetworkPorts } from '../../platform/network/network-ports.ts'
import type { Networks } from './webhook-address.rules.ts'
import { selectNetworks, updateNetworks } from './webhook-networks.store.ts'

/** The table has the same limit. */
const NETWORKS_MAX = 50

/** Settings of the operator for all organizations. */
export type NetworkOptions = {
  /** Ports on the public internet. */
  readonly ports: readonly number[]
  /** Networks that every organization may use, for development. */
  readonly developmentNetworks: readonly string[]
}

/**
 * Network rules for webhook URLs. They are the same as for later connections, as far as they can be checked before the
 * host name is resolved.
 */
export async function readNetworks(
  db: OrganizationDb,
  { ports, developmentNetworks }: NetworkOptions,
): Promise<Networks> {
  const networks = toNetworkPorts([...(await selectNetworks(db)), ...developmentNetworks])
  if (!networks) throw new Error('organizations.webhook_networks has an invalid entry')
  return { ...networks, publicPorts: ports, isPublic: isPublicAddress }
}

/** Replaces the networks of the organization. Requires a connection of the owner role. */
export async function setWebhookNetworks(db: OrganizationDb, given: readonly string[]): Promise<readonly string[]> {
  const networks = [...new Set(given)]
  const wrong = networks.find((text) => !isNetworkPort(text))
  if (wrong !== undefined)
    throw refused(
      'invalid_request',
      `${wrong} is not a network with a port, such as 10.1.0.0/16:8080 or fd00:1::/32:*.`,
    )
  if (networks.length > NETWORKS_MAX)
    throw refused(
      'invalid_request',
      `An organization can have at most ${NETWORKS_MAX} networks (got ${networks.length}).`,
    )
  await updateNetworks(db, networks)
  return networks
}
