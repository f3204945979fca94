/**
 * Repairs published files that storage has lost or damaged: from a copy if there is one, otherwise by running the step
 * again that created them. The files get another prefix, because caches keep what they have under the old one; the last
 * transaction replaces all references, unless another attempt published first.
 */
import type { OrganizationDb } from '../../../platform/db/database.ts'
import type { Attempt } from '../../../platform/jobs/handler.ts'
import { type Asset, findSource, lockAssetQuery, recordTimeline } from '../../assets/assets.ts'
import {
  findPublished,
  type PublishedFiles,
  readIntact,
  recordCheck,
  replacePublished,
  type StoredFile,
  startRepair,
} from '../../published-files/published-files.ts'
import { EncoderMismatch } from '../../renditions/renditions.ts'
import { reserveSpace } from '../admission/admission.ts'
import { contextOf, newNonce, type PipelineDeps } from '../attempt.ts'
import { type AttemptOutputs, attemptPrefix, enqueueCleanUp, openOutputs } from '../outputs.ts'
import { type Fence, filesRepaired } from '../pipeline.rules.ts'
import { drawToken } from '../pipeline.store.ts'
import { processAgain } from '../pipeline.ts'
import { type Publish, stepName } from '../steps/step.ts'
import type { RepairInput } from './repair-job.ts'

type RepairAttempt = Attempt<RepairInput>
type Fenced = Fence & { readonly step: string; readonly part: string }
type Damage = { readonly asset: Asset; readonly damage: PublishedFiles; readonly fence: Fenced }

export async function repair(deps: PipelineDeps, attempt: RepairAttempt): Promise<void> {
  const { db, input, logger } = attempt
  const damage = await findPublished(db, input.assetId, input.prefix)
  if (!damage || damage.damaged.length === 0) return
  if (damage.step === null) await restoreAdded(deps, attempt, damage)
  else if (!(await repairStep(deps, attempt, damage))) return
  logger.info({ prefix: damage.prefix, files: damage.damaged.length }, 'repaired damaged files')
}

/** Restores a file that a client added. Only a copy has its content. */
async function restoreAdded({ media, copies }: PipelineDeps, { db, signal }: RepairAttempt, damage: PublishedFiles) {
  const { assetId, prefix, files } = damage
  const [file] = files
  const body = file && (await readIntact(copies, prefix, file, signal))
  if (!body) throw new Error(`${prefix} is damaged, and there is no copy of it. The client has to add the file again.`)
  await media.putVerified({ key: prefix, body, type: typeOf(prefix) }, signal)
  // The client may have deleted the file in the meantime.
  if (!(await recordCheck(db, { assetId, prefix, damaged: [] }))) await media.deleteAll(prefix)
}

/** Returns false if the files are no longer published, or if another repair was started. */
async function repairStep(deps: PipelineDeps, attempt: RepairAttempt, files: PublishedFiles): Promise<boolean> {
  const started = await start(attempt.db, files)
  if (!started) return false
  const damage = { ...started, damage: files }
  return (await repairFromCopy(deps, attempt, damage)) ?? runAgain(deps, attempt, damage)
}

/** Allocates a fence for the repair. Undefined if the files are no longer published. */
async function start(db: OrganizationDb, { assetId, prefix, step, part }: PublishedFiles) {
  return db.transaction(async (tx) => {
    const [[asset]] = await tx.run(lockAssetQuery({ id: assetId }))
    const token = asset && (await drawToken(tx, assetId))
    if (!asset || token === undefined) return undefined
    const fence = { step: step ?? '', part: part ?? '', token, nonce: newNonce() }
    const isStarted = await startRepair(tx, { assetId, prefix, repairPrefix: attemptPrefix(tx, assetId, fence) })
    return isStarted ? { asset, fence } : undefined
  })
}

/** Returns undefined if there is no copy of a damaged file, or if the content depends on the key (AES-128). */
async function repairFromCopy(
  { media, copies }: PipelineDeps,
  { db, signal }: RepairAttempt,
  { asset, damage, fence }: Damage,
): Promise<boolean | undefined> {
  if (!copies || asset.contentProtection === 'aes') return undefined
  const outputs = openOutputs(media, attemptPrefix(db, asset.id, fence), signal)
  const isDamaged = ({ name }: StoredFile) => damage.damaged.includes(name)
  // Damaged files first: if one has no copy, nothing else is read.
  for (const file of [...damage.files].sort((one, other) => Number(isDamaged(other)) - Number(isDamaged(one)))) {
    const own = isDamaged(file) ? undefined : await readIntact(media, damage.prefix, file, signal)
    const body = own ?? (await readIntact(copies, damage.prefix, file, signal))
    if (!body) return undefined
    await outputs.put(file.name, body, typeOf(file.name))
  }
  return replace(db, damage, { outputs, files: await outputs.verified(), publish: undefined })
}

/** Runs the step again that created the files. */
async function runAgain(deps: PipelineDeps, attempt: RepairAttempt, { asset, damage, fence }: Damage) {
  const { db, signal } = attempt
  const step = deps.stages.flat().find((known) => stepName(known) === damage.step)
  if (!step) throw new Error(`Step ${damage.step}, which created ${damage.prefix}, does not exist`)
  const input = { assetId: asset.id, run: 0, part: fence.part }
  using _space = await reserveSpace(deps, step, { ...attempt, input })
  const source = await findSource(db, asset.id)
  const context = contextOf({ deps, attempt, asset, source, claim: { ...fence, failedOn: [] } }, signal)
  const publish = await step.run({ ...context, isRepair: true, reportProgress: () => undefined })
  const files = await context.outputs.verified()
  const names = new Set(files.map(({ name }) => name))
  const lost = damage.files.find(({ name }) => !names.has(name))
  if (lost) throw new Error(`Step ${damage.step} was run again, but did not create ${lost.name}`)
  const publishAgain = step.isRepublished ? publish : undefined
  return replace(db, damage, { outputs: context.outputs, files, publish: publishAgain }).catch((error: unknown) => {
    // Another release of the encoder: only the whole video can be encoded again.
    if (error instanceof EncoderMismatch) return processAgain(db, asset.id)
    throw error
  })
}

type NewFiles = {
  readonly outputs: AttemptOutputs
  readonly files: readonly StoredFile[]
  readonly publish: Publish | undefined
}

/** Returns false if the files are no longer published, or if another repair was started. */
async function replace(
  db: OrganizationDb,
  { assetId, prefix: replaced, step, part, damaged }: PublishedFiles,
  { outputs: { prefix }, files, publish }: NewFiles,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [[asset]] = await tx.run(lockAssetQuery({ id: assetId }))
    if (!asset) return false
    await enqueueCleanUp(tx, asset)
    const isReplaced = await replacePublished(tx, assetId, {
      ...{ replaced, prefix, step: step ?? '', part: part ?? '' },
      files,
    })
    if (!isReplaced) return false
    await publish?.(tx, asset)
    await recordTimeline(tx, asset, filesRepaired(damaged.length))
    return true
  })
}

const types: Readonly<Record<string, string>> = {
  vtt: 'text/vtt',
  jpg: 'image/jpeg',
  json: 'application/json',
}

function typeOf(name: string): string {
  const extension = name.split('.').at(-1) ?? ''
  return types[extension] ?? (name.startsWith('audio/') ? 'audio/mp4' : 'video/mp4')
}
