/**
 * Repairs damaged files of which there is no copy, by running the step again that created them. The files get another
 * prefix, because the encoder does not always write the same bytes; the last transaction replaces all references,
 * unless another attempt published first. The undamaged files stay for a day, for viewers with an older playlist.
 */
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { isSuspended } from '../../../platform/db/suspension.ts'
import { type Attempt, Postponed } from '../../../platform/jobs/handler.ts'
import { type Asset, findSource, lockAssetQuery, recordTimeline, recordUrlsChanged } from '../../assets/assets.ts'
import {
  findPublished,
  type PublishedFiles,
  REPLACED_SECONDS,
  recordRepairFailure,
  replacePublished,
  type StoredFile,
  startRepair,
} from '../../published-files/published-files.ts'
import { reserveSpace } from '../admission/admission.ts'
import { contextOf, newNonce, type PipelineDeps } from '../attempt.ts'
import { attemptPrefix, enqueueCleanUp } from '../outputs.ts'
import { type Fence, filesRepaired } from '../pipeline.rules.ts'
import { drawToken } from '../pipeline.store.ts'
import { type Publish, stepName } from '../steps/step.ts'
import type { RepairInput } from './repair-job.ts'

type RepairAttempt = Attempt<RepairInput>
type Fenced = Fence & { readonly step: string; readonly part: string }
type Damage = { readonly asset: Asset; readonly damage: PublishedFiles; readonly fence: Fenced }

/** A failed repair is made again later by the schedule, with a growing delay. */
export async function repair(deps: PipelineDeps, attempt: RepairAttempt): Promise<void> {
  const { db, input, logger, shuttingDown } = attempt
  const files = await findPublished(db, input.assetId, input.prefix)
  if (!files || files.damaged.length === 0 || files.repairId !== input.repairId) return
  try {
    const started = await start(db, files, input.repairId)
    const isRepaired = started && (await runAgain(deps, attempt, { ...started, damage: files }))
    if (isRepaired) logger.info({ prefix: files.prefix, files: files.damaged.length }, 'repaired damaged files')
    else await recordRepairFailure(db, files)
  } catch (err) {
    if (err instanceof Postponed || shuttingDown.aborted || isSuspended(err)) throw err
    logger.error({ err, prefix: files.prefix }, 'failed to repair damaged files')
    await recordRepairFailure(db, files)
  }
}

/** Allocates a fence for the repair. Undefined if the files are no longer published. */
async function start(db: OrganizationDb, { assetId, prefix, step, part }: PublishedFiles, repairId: string) {
  return db.transaction(async (tx) => {
    const [[asset]] = await tx.run(lockAssetQuery({ id: assetId }))
    const token = asset && (await drawToken(tx, assetId))
    if (!asset || token === undefined) return undefined
    const fence = { step: step ?? '', part: part ?? '', token, nonce: newNonce() }
    const repairPrefix = attemptPrefix(tx, assetId, fence)
    const isStarted = await startRepair(tx, { assetId, prefix, repairId, repairPrefix })
    return isStarted ? { asset, fence } : undefined
  })
}

/** Returns false if the files are no longer published, or if another repair was started. */
async function runAgain(
  deps: PipelineDeps,
  attempt: RepairAttempt,
  { asset, damage, fence }: Damage,
): Promise<boolean> {
  const { db } = attempt
  const step = deps.stages.flat().find((known) => stepName(known) === damage.step)
  if (!step) throw new Error(`Step ${damage.step}, which created ${damage.prefix}, does not exist`)
  const input = { assetId: asset.id, run: 0, part: fence.part }
  using _space = await reserveSpace(deps, step, { ...attempt, input })
  const source = await findSource(db, asset.id)
  const limit = AbortSignal.timeout(step.job.retry.attemptTimeoutSeconds * 1000)
  const context = contextOf({ deps, attempt, asset, source, claim: { ...fence, failedOn: [] } }, limit)
  const { prefix } = context.outputs
  const publish = await step.run({ ...context, isRepair: true, reportProgress: () => undefined })
  const files = await context.outputs.verified()
  const names = new Set(files.map(({ name }) => name))
  const lost = damage.files.find(({ name }) => !names.has(name))
  if (lost) throw new Error(`Step ${damage.step} was run again, but did not create ${lost.name}`)
  const publishAgain = step.isRepublished ? publish : undefined
  const isReplaced = await replace(db, damage, { prefix, files, publish: publishAgain })
  // Deleted in the meantime: nothing else deletes these files.
  if (!isReplaced) await deps.media.deleteAll(prefix)
  return isReplaced
}

type NewFiles = {
  readonly prefix: string
  readonly files: readonly StoredFile[]
  readonly publish: Publish | undefined
}

/** Returns false if the files are no longer published, or if another repair was started. */
async function replace(
  db: OrganizationDb,
  { assetId, prefix: replaced, step, part, damaged }: PublishedFiles,
  { prefix, files, publish }: NewFiles,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [[asset]] = await tx.run(lockAssetQuery({ id: assetId }))
    if (!asset) return false
    const moved = { replaced, prefix, step: step ?? '', part: part ?? '', files }
    const changed = await replacePublished(tx, assetId, moved)
    if (!changed) return false
    await publish?.(tx, asset)
    await recordTimeline(tx, asset, filesRepaired(damaged.length))
    await recordUrlsChanged(tx, changed)
    await enqueueCleanUp(tx, asset, REPLACED_SECONDS)
    return true
  })
}
