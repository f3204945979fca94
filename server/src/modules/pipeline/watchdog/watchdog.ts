/**
 * Ensures that no step waits or runs forever, by the database's clock. A step whose time is up fails. A step whose
 * attempt sends no heartbeats is enqueued again, however late, because no worker was running it; `maxCrashes` limits
 * how often. The job engine releases jobs of dead workers much earlier, so this is the second safety net.
 */
import type { Database, OrganizationDb } from '../../../platform/db/database.ts'
import { lockAssetQuery } from '../../assets/assets.ts'
import type { PipelineDeps } from '../attempt.ts'
import { tookTooLong } from '../pipeline.rules.ts'
import * as store from '../pipeline.store.ts'
import { enqueueStep } from '../pipeline.ts'
import { failProcessing, failStep } from '../progress.ts'
import { stepName } from '../steps/step.ts'

/** Maximum number of steps processed per run. The rest is still due at the next run. */
const STEPS_PER_RUN_MAX = 500

type Options = {
  readonly signal: AbortSignal
  readonly onFailure: (error: unknown, due: store.DueStep) => void
}

export async function watch(
  database: Database,
  deps: Pick<PipelineDeps, 'stages' | 'metrics'>,
  { signal, onFailure }: Options,
): Promise<void> {
  for (const due of await store.selectDue(database, STEPS_PER_RUN_MAX)) {
    if (signal.aborted) return
    const db = database.forOrganization(due.organizationId)
    const handled = due.isOverdue ? failOverdue(db, due, deps) : enqueueAgain(db, due)
    await handled.catch((error: unknown) => onFailure(error, due))
  }
}

async function failOverdue(
  db: OrganizationDb,
  due: store.DueStep,
  { stages, metrics }: Pick<PipelineDeps, 'stages' | 'metrics'>,
): Promise<void> {
  const step = stages.flat().find((known) => stepName(known) === due.step)
  const failure = tookTooLong(step?.runningLabel ?? 'Processing')
  const hasFailed = await db.transaction(async (tx) => {
    const [[asset]] = await tx.run(lockAssetQuery({ id: due.assetId }))
    const overdue = asset && (await store.findOverdue(tx, due))
    if (!overdue) return false
    const { part } = due
    if (step) return failStep(tx, asset, { stages, step, run: overdue.run, part, failure })
    // The step was added by a newer release, and no worker of that release claimed it before its deadline.
    await failProcessing(tx, asset, failure)
    return true
  })
  if (hasFailed) metrics.countFailure(failure.code)
}

/** Enqueues the step again, even if it is unknown here: a newer release may have added it. */
async function enqueueAgain(db: OrganizationDb, due: store.DueStep): Promise<void> {
  const { assetId } = due
  await db.transaction(async (tx) => {
    const [[asset]] = await tx.run(lockAssetQuery({ id: assetId }))
    const released = asset && (await store.releaseSilentStep(tx, due))
    if (!released) return
    const { run, token, ...ref } = released
    await enqueueStep(tx, { ...ref, assetId, run }, { id: `${assetId}-${run}-after-${token}` })
  })
}
