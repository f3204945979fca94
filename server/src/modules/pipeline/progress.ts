/** Moves processing from stage to stage, in the transaction that ends a step and holds the lock of the asset. */
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type Asset, changeStatus, type Failure, failAsset, recordTimeline } from '../assets/assets.ts'
import { failRenditions } from '../renditions/renditions.ts'
import { enqueueCleanUp } from './outputs.ts'
import * as rules from './pipeline.rules.ts'
import * as store from './pipeline.store.ts'
import { enqueueStep, stopProcessing } from './pipeline.ts'
import { type Stage, type Step, type StepPart, stepName, stepRef } from './steps/step.ts'

/** A step of a run, with all stages. */
type StepRun = {
  readonly stages: readonly Stage[]
  readonly step: Step
  readonly run: number
}

/** Called when all steps of a stage are done: starts the next stage that has steps, or completes the asset. */
export async function endStage(tx: OrganizationDb, asset: Asset, { stages, step, run }: StepRun): Promise<void> {
  const ended = stages.findIndex((stage) => stage.includes(step))
  for (const stage of stages.slice(ended + 1)) {
    if ((await enqueueStage(tx, asset, { stage, run })) > 0) return
  }
  // After a retry, the last step may be given up before a worker claims it; the asset is then still queued.
  const processing = asset.status === 'Queued' ? await startProcessing(tx, asset) : asset
  await changeStatus(tx, processing, 'Completed', rules.completed)
  if (await store.hasLostAttempts(tx, asset.id)) await enqueueCleanUp(tx, asset)
}

export const startProcessing = (tx: OrganizationDb, asset: Asset): Promise<Asset> =>
  changeStatus(tx, asset, 'Processing', rules.processingStarted)

const wholeStep: readonly StepPart[] = [{ part: '' }]

/** Returns the number of parts that were enqueued. */
async function enqueueStage(
  tx: OrganizationDb,
  asset: Asset,
  { stage, run }: { readonly stage: Stage; readonly run: number },
): Promise<number> {
  let enqueued = 0
  for (const step of stage) {
    const parts = step.parts ? await step.parts(tx, asset) : wholeStep
    await enqueueParts(tx, asset.id, { step, run, parts })
    enqueued += parts.length
  }
  return enqueued
}

type NewParts = Pick<StepRun, 'step' | 'run'> & { readonly parts: readonly StepPart[] }

export async function enqueueParts(
  tx: OrganizationDb,
  assetId: AssetId,
  { step, run, parts }: NewParts,
): Promise<void> {
  for (const { part, urgency } of parts) {
    const ref = stepRef(step, part)
    await tx.send(store.insertStep({ assetId, ...ref }))
    await enqueueStep(tx, { ...ref, assetId, run }, urgency && { urgency })
  }
}

type FailedStep = StepRun & { readonly part: string; readonly failure: Failure }

/** Fails the asset, or only the step if it is optional. Returns whether the asset has failed. */
export async function failStep(
  tx: OrganizationDb,
  asset: Asset,
  { part, failure, ...stepRun }: FailedStep,
): Promise<boolean> {
  const { step } = stepRun
  if (step.isOptional) {
    await recordTimeline(tx, asset, rules.skipped(step.runningLabel, failure))
    const given = { assetId: asset.id, step: stepName(step), part }
    const isOtherOpen = await store.giveUpStep(tx, given)
    if (!isOtherOpen) await endStage(tx, asset, stepRun)
    return false
  }
  await failProcessing(tx, asset, failure)
  return true
}

export async function failProcessing(tx: OrganizationDb, asset: Asset, failure: Failure): Promise<void> {
  await stopProcessing(tx, asset)
  await failRenditions(tx, asset)
  await failAsset(tx, asset.id, failure)
}
