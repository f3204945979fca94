/**
 * Sequences the events that this process commits. An optimization: a scheduled job sequences the
 * events of killed processes, and readers sequence before they read.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/db/database.ts'
import { untraced } from '../../platform/observability/tracing.ts'
import { type OnSequenced, sequenceEvents } from './events.ts'

/** Events that an organization records within this time are sequenced together. */
const BATCH_MILLISECONDS = 20

export type PublisherOptions = {
  readonly database: Database
  readonly onSequenced: OnSequenced
  readonly onFailure: (error: unknown) => void
}

/** Runs until disposed; disposal waits for running work. */
export function startPublisher({ database, onSequenced, onFailure }: PublisherOptions): AsyncDisposable {
  /** Organizations whose events are being sequenced, and whether they have recorded more events since. */
  const hasMore = new Map<OrganizationId, boolean>()
  const running = new Set<Promise<void>>()

  const publish = async (organizationId: OrganizationId) => {
    const db = database.forOrganization(organizationId)
    do {
      await sleep(BATCH_MILLISECONDS)
      hasMore.set(organizationId, false)
      await sequenceEvents(db, onSequenced).catch(onFailure)
    } while (hasMore.get(organizationId))
    hasMore.delete(organizationId)
  }
  database.onCommitNotify((organizationId) => {
    if (hasMore.has(organizationId)) {
      hasMore.set(organizationId, true)
      return
    }
    hasMore.set(organizationId, false)
    // Sequencing is not traced, because it handles events of many requests.
    const run = untraced(() => publish(organizationId)).finally(() => running.delete(run))
    running.add(run)
  })
  return {
    [Symbol.asyncDispose]: async () => {
      database.onCommitNotify(() => {})
      await Promise.all(running)
    },
  }
}
