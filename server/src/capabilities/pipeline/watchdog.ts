/**
 * Sees to it that no step waits or runs for ever, by the database's clock. One whose time is up
 * fails. One whose attempt fell silent is promised again, however late: nobody worked on it, and
 * how often that may happen is bounded too (TAKES_MAX). The engine gives jobs of dead workers back
 * long before, so this is the net beneath it.
 */
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { lockedAsset } from '../assets/assets.ts'
import type { Workbench } from './attempt.ts'
import { tookTooLong } from './pipeline.rules.ts'
import * as store from './pipeline.store.ts'
import { promiseStep } from './pipeline.ts'
import { failProcessing, failStep } from './progress.ts'
import { stepName } from './steps/step.ts'

/** Looked at by one run; what is left is still due at the next. */
const STEPS_PER_RUN_MAX = 500

type OnFailure = (error: unknown, due: store.DueStep) => void

export async function watch(
  database: Database,
  bench: Pick<Workbench, 'stages' | 'metrics'>,
  signal: AbortSignal,
  onFailure: OnFailure,
): Promise<void> {
  for (const due of await store.selectDue(database, STEPS_PER_RUN_MAX)) {
    if (signal.aborted) return
    const db = database.forOrganization(due.organizationId)
    const dealt = due.isOverdue ? endOverdue(db, due, bench) : renewPromise(db, due)
    await dealt.catch((error: unknown) => onFailure(error, due))
  }
}

async function endOverdue(
  db: OrganizationDb,
  due: store.DueStep,
  { stages, metrics }: Pick<Workbench, 'stages' | 'metrics'>,
): Promise<void> {
  const step = stages.flat().find((one) => stepName(one) === due.step)
  const failure = tookTooLong(step?.does ?? 'The processing')
  const hasFailed = await db.transaction(async (tx) => {
    const [[asset]] = await tx.run(lockedAsset({ id: due.assetId }))
    const overdue = asset && (await store.findOverdue(tx, due))
    if (!overdue) return false
    if (step) return failStep(tx, asset, { stages, step, run: overdue.run }, due.part, failure)
    // It is newer than we are, and nobody who knows it has taken it up in all its time.
    await failProcessing(tx, asset, failure)
    return true
  })
  if (hasFailed) metrics.countFailure(failure.code)
}

/** Whether we know the step or not: it may be newer than we are. */
async function renewPromise(db: OrganizationDb, due: store.DueStep): Promise<void> {
  const { assetId } = due
  await db.transaction(async (tx) => {
    const [[asset]] = await tx.run(lockedAsset({ id: assetId }))
    const lost = asset && (await store.loseStep(tx, due))
    if (!lost) return
    const { run, token, ...place } = lost
    await promiseStep(tx, place, { assetId, run }, { id: `${assetId}-${run}-after-${token}` })
  })
}
