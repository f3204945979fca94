/** Webhooks that a worker holds and does not tell are given back, so that others tell them. */
import type { Database } from '../../../platform/db/database.ts'
import { repeat } from '../../../platform/jobs/repeat.ts'
import type { Logger } from '../../../platform/observability/logger.ts'
import { giveBackWebhooks, type Held, selectHeld } from './courier.store.ts'

/** One that rests is seen only when it is due, so a look at the start would not do. */
const LOOK_SECONDS = 5

/** Given back by one look; the next one comes soon. */
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
 * For a worker without a courier. One of the same name may have had one, and been killed: its lease
 * lives on with this worker, so nobody else would take what it left.
 */
export function giveBackWhatIsLeft(
  database: Database,
  workerId: string,
  logger: Logger,
): AsyncDisposable {
  const look = async () =>
    giveBack(database, workerId, await selectHeld(database, workerId, HELD_PER_LOOK_MAX))
  return repeat(LOOK_SECONDS, look, (err) =>
    logger.warn({ err }, 'could not give back the webhooks of a courier of the same name'),
  )
}
