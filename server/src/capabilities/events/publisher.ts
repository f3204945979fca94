/**
 * Sees to it that what was committed by this process is in the log soon. Nothing depends on it:
 * what a killed process left is found by a worker's schedule, and readers see to what waits before
 * they read.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/db/database.ts'
import { untraced } from '../../platform/observability/tracing.ts'
import { type OnNumbered, settleEvents } from './events.ts'

/** What an organization writes within this time is numbered together. */
const GATHERING_MILLISECONDS = 20

export type PublisherOptions = {
  readonly database: Database
  readonly onNumbered: OnNumbered
  readonly onFailure: (error: unknown) => void
}

/** Publishes until disposed of; then what is under way is waited for. */
export function startPublisher({
  database,
  onNumbered,
  onFailure,
}: PublisherOptions): AsyncDisposable {
  /** Whether there has been more news since the last look. */
  const hasMore = new Map<OrganizationId, boolean>()
  const underWay = new Set<Promise<void>>()

  const publish = async (organizationId: OrganizationId) => {
    const db = database.forOrganization(organizationId)
    do {
      await sleep(GATHERING_MILLISECONDS)
      hasMore.set(organizationId, false)
      await settleEvents(db, onNumbered).catch(onFailure)
    } while (hasMore.get(organizationId))
    hasMore.delete(organizationId)
  }
  database.onNews((organizationId) => {
    if (hasMore.has(organizationId)) {
      hasMore.set(organizationId, true)
      return
    }
    hasMore.set(organizationId, false)
    // For all that the organization has told meanwhile, whoever was first.
    const turn = untraced(() => publish(organizationId)).finally(() => underWay.delete(turn))
    underWay.add(turn)
  })
  return {
    [Symbol.asyncDispose]: async () => {
      database.onNews(() => {})
      await Promise.all(underWay)
    },
  }
}
