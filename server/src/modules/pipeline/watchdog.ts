/**
 * Ensures that no step waits or runs forever, by the database's clock. A step whose time is up fails. A step whose
 * attempt sends no heartbeats is enqueued again, however late, because no worker was running it; TAKES_MAX limits
 * how often. The job engine releases jobs of dead workers much earlier, so this is the second safety net.
 */
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { lockAssetQuery } from '../assets/assets.ts'
import type { PipelineDeps } from './attempt.ts'
import { tookTooLong } from './pipeline.rules.ts'
import * as store from './pipeline.store.ts'
import { enqueueStep } from './pipeline.ts'
import { failProcessing, failStep } from './progress.ts'
import { stepName } from './steps/step.ts'

/** Processed per run; the rest is still due at the next one. */
const STEPS_PER_RUN_MAX = 500

type OnFailure = (error: unknown, due: store.DueStep) => void

export async function watch(
  database: Database,
  bench: Pick<PipelineDeps, 'stages' | 'metrics'>,
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
  { stages, metrics }: Pick<PipelineDeps, 'stages' | 'metrics'>,
): Promise<void> {
  const step = stages.flat().find((known) => stepName(known) === due.step)
  const failure = tookTooLong(step?.does ?? 'Processing')
  const hasFailed = await db.transaction(async (tx) => {
    const [[asset]] = await tx.run(lockAssetQuery({ id: due.assetId }))
    const overdue = asset && (await store.findOverdue(tx, due))
    if (!overdue) return false
    if (step) return failStep(tx, asset, { stages, step, run: overdue.run }, due.part, failure)
    // The step was added by a newer release, and no worker that knows it claimed it before its deadline.
    await failProcessing(tx, asset, failure)
    return true
  })
  if (hasFailed) metrics.countFailure(failure.code)
}

/** Enqueues the step again, even if it is unknown here: a newer release may have added it. */
async function renewPromise(db: OrganizationDb, due: store.DueStep): Promise<void> {
  const { assetId } = due
  await db.transaction(async (tx) => {
    const [[asset]] = await tx.run(lockAssetQuery({ id: assetId }))
    const lost = asset && (await store.loseStep(tx, due))
    if (!lost) return
    const { run, token, ...place } = lost
    await enqueueStep(tx, place, { assetId, run }, { id: `${assetId}-${run}-after-${token}` })
  })
}
