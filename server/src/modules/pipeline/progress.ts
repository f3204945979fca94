/** Moves processing from stage to stage, in the transaction that ends a step and holds the lock of the asset. */
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import {
  type Asset,
  changeStatus,
  type Failure,
  failAsset,
  recordTimeline,
} from '../assets/assets.ts'
import { failRenditions } from '../renditions/renditions.ts'
import { promiseTidying } from './outputs.ts'
import * as rules from './pipeline.rules.ts'
import * as store from './pipeline.store.ts'
import { enqueueStep, stopProcessing } from './pipeline.ts'
import { type Portion, placeOf, type Stage, type Step, stepName } from './steps/step.ts'

/** A step of a run, with all stages. */
export type Course = {
  readonly stages: readonly Stage[]
  readonly step: Step
  readonly run: number
}

/** Called when all steps of a stage are done: starts the next stage that has steps, or completes the asset. */
export async function goOn(
  tx: OrganizationDb,
  asset: Asset,
  { stages, step, run }: Course,
): Promise<void> {
  const at = stages.findIndex((stage) => stage.includes(step))
  for (const stage of stages.slice(at + 1)) {
    if ((await enterStage(tx, asset, stage, run)) > 0) return
  }
  // The last step may be given up before a worker has claimed one since a retry.
  const processing = asset.status === 'Queued' ? await begin(tx, asset) : asset
  await changeStatus(tx, processing, 'Completed', rules.completed)
  if (await store.isUntidy(tx, asset.id)) await promiseTidying(tx, asset)
}

export const begin = (tx: OrganizationDb, asset: Asset): Promise<Asset> =>
  changeStatus(tx, asset, 'Processing', rules.processingStarted)

const inOneGo: readonly Portion[] = [{ part: '' }]

async function enterStage(
  tx: OrganizationDb,
  asset: Asset,
  stage: Stage,
  run: number,
): Promise<number> {
  let entered = 0
  for (const step of stage) {
    const portions = step.parts ? await step.parts(tx, asset) : inOneGo
    await enterParts(tx, asset.id, { step, run }, portions)
    entered += portions.length
  }
  return entered
}

export async function enterParts(
  tx: OrganizationDb,
  assetId: AssetId,
  { step, run }: Pick<Course, 'step' | 'run'>,
  portions: readonly Portion[],
): Promise<void> {
  for (const { part, urgency } of portions) {
    const place = placeOf(step, part)
    await tx.send(store.enterStep({ assetId, ...place }))
    await enqueueStep(tx, place, { assetId, run }, urgency && { urgency })
  }
}

/** Fails the asset, or only the step if it is optional. Returns whether the asset has failed. */
export async function failStep(
  tx: OrganizationDb,
  asset: Asset,
  course: Course,
  part: string,
  failure: Failure,
): Promise<boolean> {
  const { step } = course
  if (step.isOptional) {
    await recordTimeline(tx, asset, rules.givenUp(step.does, failure))
    const isOtherOpen = await store.giveUpStep(tx, asset.id, { step: stepName(step), part })
    if (!isOtherOpen) await goOn(tx, asset, course)
    return false
  }
  await failProcessing(tx, asset, failure)
  return true
}

export async function failProcessing(
  tx: OrganizationDb,
  asset: Asset,
  failure: Failure,
): Promise<void> {
  await stopProcessing(tx, asset)
  await failRenditions(tx, asset)
  await failAsset(tx, asset.id, failure)
}
