import type { OrganizationDb } from '../../platform/db/database.ts'
import { isAbsent, isSuspended } from '../../platform/db/suspension.ts'
import { repeatAfterPause } from '../../platform/jobs/repeat.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { notifyProgressQuery } from '../events/events.ts'
import type { Claim, StepProgress } from './pipeline.rules.ts'
import { renewClaim } from './pipeline.store.ts'

type Options = {
  readonly db: OrganizationDb
  readonly claim: Claim
  readonly logger: Logger
  readonly everySeconds: number
}

/**
 * Sends heartbeats with the attempt's progress until disposed. `lost` aborts when a heartbeat finds that the step
 * belongs to another attempt. Progress listeners are notified after each heartbeat and at the end, because many
 * steps take less time than one interval.
 *
 * A cancellation takes up to `everySeconds` to reach the attempt, and so does the reclaim of a step whose worker
 * was frozen.
 */
export function startHeartbeats({ db, claim, logger, everySeconds }: Options) {
  const loss = new AbortController()
  let progress: StepProgress | undefined
  let notified: StepProgress | undefined
  const notify = async () => {
    if (progress === notified) return
    notified = progress
    await db.send(notifyProgressQuery(claim.assetId))
  }
  const isOurs = () =>
    renewClaim(db, claim, progress).catch((error: unknown) => {
      if (!isSuspended(error)) throw error
      // Steps of a suspended organization are not reclaimed. If the organization is absent, its steps belong to
      // another cell or are deleted.
      return isAbsent(db).then((isGone) => !isGone)
    })
  const beat = async () => {
    if (loss.signal.aborted) return
    if (await isOurs()) await notify()
    else loss.abort()
  }
  const onFailure = (err: unknown) => logger.warn({ err }, 'failed to send the heartbeat of a step')
  // Start with a pause, because the claim counts as the first heartbeat.
  const beats = repeatAfterPause(everySeconds, beat, onFailure)
  return {
    lost: loss.signal,
    reportProgress: (current: StepProgress) => {
      progress = current
    },
    [Symbol.asyncDispose]: async () => {
      await beats[Symbol.asyncDispose]()
      await notify().catch(onFailure)
    },
  }
}
