import type { OrganizationDb } from '../../platform/db/database.ts'
import { repeat } from '../../platform/jobs/repeat.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { Asset } from '../assets/assets.ts'
import type { Claim, UnderWay } from './pipeline.rules.ts'
import { renewBeat } from './pipeline.store.ts'

/** So soon does a cancellation reach what runs; and a worker that was frozen learns as soon that it was replaced. */
const BEAT_SECONDS = 2

/**
 * Gives signs of life until disposed of, with how far the attempt says that it has come. `lost` is aborted when one finds that
 * the step is no longer this attempt's.
 */
export function keepStep(db: OrganizationDb, { id }: Asset, claim: Claim, logger: Logger) {
  const loss = new AbortController()
  let underWay: UnderWay | undefined
  const beat = async () => {
    if (!loss.signal.aborted && !(await renewBeat(db, id, claim, underWay))) loss.abort()
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
    [Symbol.asyncDispose]: () => signs[Symbol.asyncDispose](),
  }
}
