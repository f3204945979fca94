/** Releases webhooks that a worker has claimed but does not deliver to. */
import type { Database } from '../../platform/db/database.ts'
import { type Intervals, recoverySeconds } from '../../platform/jobs/intervals.ts'
import { repeat } from '../../platform/jobs/repeat.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { giveBackWebhooks, type Held, selectHeld } from './claims.store.ts'

/** Released per check; the next one comes soon. */
const HELD_PER_LOOK_MAX = 1000

export async function giveBack(
  database: Database,
  workerId: string,
  held: readonly Held[],
): Promise<void> {
  const byOrganization = Map.groupBy(held, ({ organizationId }) => organizationId)
  const given = [...byOrganization].map(([organizationId, entries]) =>
    giveBackWebhooks(database.forOrganization(organizationId), {
      workerId,
      webhookIds: entries.map(({ webhookId }) => webhookId),
    }),
  )
  await Promise.all(given)
}

/**
 * For a worker without a dispatcher. A killed worker of the same name may have had one: its lease continues with
 * this worker, so no other would claim its webhooks.
 */
export function giveBackWhatIsLeft(
  database: Database,
  workerId: string,
  logger: Logger,
  intervals: Pick<Intervals, 'heartbeatSeconds'>,
): AsyncDisposable {
  const release = async () =>
    giveBack(database, workerId, await selectHeld(database, workerId, HELD_PER_LOOK_MAX))
  // Repeatedly: a webhook in back-off is found only once it is due.
  return repeat(recoverySeconds(intervals), release, (err) =>
    logger.warn({ err }, 'failed to release webhooks of a previous worker of the same name'),
  )
}
