/** Clients of the API for one organization, which use the session cookie. */
import { Reelkeep } from 'reelkeep'

const clients = new Map<string, Reelkeep>()

/** One client per organization, so that all its waits share a connection. */
export function clientOf(organization: string): Reelkeep {
  const client = clients.get(organization) ?? new Reelkeep({ url: location.origin, organization, session: true })
  clients.set(organization, client)
  return client
}
