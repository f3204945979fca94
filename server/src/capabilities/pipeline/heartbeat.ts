import type { OrganizationDb } from '../../platform/db/database.ts'
import { isGone, isHeld } from '../../platform/db/held.ts'
import { repeat } from '../../platform/jobs/repeat.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { Asset } from '../assets/assets.ts'
import { progressQuery } from '../events/events.ts'
import type { Claim, UnderWay } from './pipeline.rules.ts'
import { renewBeat } from './pipeline.store.ts'

/** So soon does a cancellation reach what runs; and a worker that was frozen learns as soon that it was replaced. */
const BEAT_SECONDS = 2

/**
 * Gives signs of life until disposed of, with how far the attempt says that it has come. `lost` is
 * aborted when one finds that the step is no longer this attempt's. Whoever shows progress live is
 * told of it after each, and at the end, for much is made in less time than there is between two.
 */
export function keepStep(db: OrganizationDb, { id }: Asset, claim: Claim, logger: Logger) {
  const loss = new AbortController()
  let underWay: UnderWay | undefined
  let shown: UnderWay | undefined
  const show = async () => {
    if (underWay === shown) return
    shown = underWay
    await db.send(progressQuery(id))
  }
  const isOurs = () =>
    renewBeat(db, id, claim, underWay).catch((error: unknown) => {
      if (!isHeld(error)) throw error
      // Nobody judges a held organization's attempts. It is released soon, or gone, and then the
      // step is another cell's.
      return isGone(db).then((isElsewhere) => !isElsewhere)
    })
  const beat = async () => {
    if (loss.signal.aborted) return
    if (await isOurs()) await show()
    else loss.abort()
  }
  const onFailure = (err: unknown) =>
    logger.warn({ err }, 'could not give a sign of life for a step')
  // Taking the step was the first sign.
  const signs = repeat(BEAT_SECONDS, beat, onFailure, BEAT_SECONDS)
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
