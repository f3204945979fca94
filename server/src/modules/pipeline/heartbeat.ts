import type { OrganizationDb } from '../../platform/db/database.ts'
import { isMigratedAway, isSuspended } from '../../platform/db/suspension.ts'
import { repeat } from '../../platform/jobs/repeat.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { Asset } from '../assets/assets.ts'
import { notifyProgressQuery } from '../events/events.ts'
import type { Claim, UnderWay } from './pipeline.rules.ts'
import { renewBeat } from './pipeline.store.ts'

/**
 * Sends heartbeats with the attempt's progress until disposed. `lost` aborts when a heartbeat finds that the step
 * belongs to another attempt. Progress listeners are notified after each heartbeat and at the end, because many
 * steps take less time than one interval.
 *
 * A cancellation takes up to `everySeconds` to reach the attempt, and so does the reclaim of a step whose worker
 * was frozen.
 */
export function keepStep(
  db: OrganizationDb,
  { id }: Asset,
  claim: Claim,
  { logger, everySeconds }: { readonly logger: Logger; readonly everySeconds: number },
) {
  const loss = new AbortController()
  let underWay: UnderWay | undefined
  let shown: UnderWay | undefined
  const show = async () => {
    if (underWay === shown) return
    shown = underWay
    await db.send(notifyProgressQuery(id))
  }
  const isOurs = () =>
    renewBeat(db, id, claim, underWay).catch((error: unknown) => {
      if (!isSuspended(error)) throw error
      // A suspended organization's steps are not reclaimed. It is resumed soon, or migrated away, and then the step
      // belongs to another cell.
      return isMigratedAway(db).then((isElsewhere) => !isElsewhere)
    })
  const beat = async () => {
    if (loss.signal.aborted) return
    if (await isOurs()) await show()
    else loss.abort()
  }
  const onFailure = (err: unknown) => logger.warn({ err }, 'failed to send the heartbeat of a step')
  // The claim was the first heartbeat.
  const signs = repeat(everySeconds, beat, onFailure, everySeconds)
  return {
    lost: loss.signal,
    tell: (made: UnderWay) => {
      underWay = made
    },
    [Symbol.asyncDispose]: async () => {
      await signs[Symbol.asyncDispose]()
      await show().catch(onFailure)
    },
  }
}
