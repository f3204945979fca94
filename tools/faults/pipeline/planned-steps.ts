/** Steps that follow an asset's plan and record what they publish. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { AssetId, OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { probe } from '@reelkeep/server/modules/pipeline/steps/probe.step.ts'
import {
  type Publish,
  type Step,
  type StepContext,
  stepJob,
  stepName,
  UnusableFile,
} from '@reelkeep/server/modules/pipeline/steps/step.ts'
import type { Database } from '@reelkeep/server/platform/db/database.ts'
import type { Objects } from '@reelkeep/testkit/objects'
import { type AssetPlan, planOf } from './asset-plan.ts'
import { insertPublication, openGates, type Publication, visiblePublications } from './publications.ts'

/** How long an attempt that ignores its abort signal continues after the signal. */
const IGNORED_ABORT_MILLISECONDS = 3000

const GATE_MILLISECONDS = 50

const retry = { maxAttempts: 8, firstBackoffSeconds: 1, attemptTimeoutSeconds: 60 }

/** Identity of an attempt, stored in each of its outputs. */
type Attempt = Pick<Publication, 'assetId' | 'step' | 'token' | 'writer'>

/** Parses the identity of an attempt from its output prefix: `<organization>/<asset>/<step>-<number>-<nonce>/`. */
function attemptOf({ outputs }: Pick<StepContext, 'outputs'>): Attempt & {
  readonly organizationId: OrganizationId
} {
  const [organizationId = '', assetId = '', attempt = ''] = outputs.prefix.split('/')
  const [, step = '', token] = /^(.+)-(\d+)-[0-9a-f]{16}$/.exec(attempt) ?? []
  return {
    organizationId: organizationId as OrganizationId,
    assetId,
    step,
    token: Number(token),
    writer: crypto.randomUUID(),
  }
}

const recordPublication =
  (attempt: Attempt, keys: readonly string[], problem: string | null): Publish =>
  async (tx) => {
    await tx.run(insertPublication({ ...attempt, keys, problem }))
  }

/** Wraps a step, so that its publication is recorded. */
export const recorded = (step: Step): Step => ({
  ...step,
  run: async (context) => {
    const publish = await step.run(context)
    return async (tx, asset) => {
      await publish(tx, asset)
      await recordPublication(attemptOf(context), [], null)(tx, asset)
    }
  },
})

/** The service's own probe step, with its publication recorded. */
export const recordedProbe = recorded(probe)

export const encode: Step = {
  job: stepJob('encode', 'encode', retry),
  runningLabel: 'Encoding',
  waitingLabel: 'The file is waiting to be encoded',
  run: async (context) => {
    const plan = planOf(context.asset)
    const attempt = attemptOf(context)
    if (plan.isUnusable) throw new UnusableFile({ code: 'upload_empty', detail: 'Unusable.' })
    if (attempt.token <= plan.failsToToken) throw new Error('failed on purpose')
    const pauseMilliseconds = plan.encodeMilliseconds / plan.outputCount
    const keys: string[] = []
    for (let index = 0; index < plan.outputCount; index++) {
      await pause(pauseMilliseconds, context.signal, plan)
      if (index === plan.outputCount - 1) await passGate(context)
      keys.push(...(await putOutput(context, attempt, `${index}.json`)))
    }
    if (plan.ignoresAbort && !plan.isGated && context.signal.aborted) await sleep(IGNORED_ABORT_MILLISECONDS)
    return recordPublication(attempt, keys, null)
  },
}

/**
 * Waits until the gate of the asset is open, if the plan has one. The gate counts as shut while the database is
 * unavailable.
 */
export async function passGate({ asset, db, signal }: StepContext): Promise<void> {
  const plan = planOf(asset)
  const isShut = () =>
    db.run(openGates(asset.id as AssetId)).then(
      ([rows]) => rows.length === 0,
      () => true,
    )
  while (plan.isGated && (await isShut())) await pause(GATE_MILLISECONDS, signal, plan)
}

function pause(milliseconds: number, signal: AbortSignal, { ignoresAbort }: AssetPlan) {
  return sleep(milliseconds, undefined, ignoresAbort ? {} : { signal })
}

/**
 * Writes an output and returns its key. Returns no key if the write fails because the attempt was aborted and ignores
 * it.
 */
async function putOutput(
  { asset, outputs, signal }: StepContext,
  { assetId, step, token, writer }: Attempt,
  name: string,
): Promise<string[]> {
  const text = JSON.stringify({ assetId, step, token, writer, name })
  try {
    await outputs.put(name, text, 'application/json')
    return [`${outputs.prefix}${name}`]
  } catch (error) {
    if (!planOf(asset).ignoresAbort || !signal.aborted) throw error
    return []
  }
}

/** Compares the outputs of a publication with storage. Returns the first violation; undefined if there is none. */
export async function outputViolation(
  objects: Objects,
  { assetId, step, token, writer, keys }: Publication,
): Promise<string | undefined> {
  for (const key of keys) {
    const text = await objects.find(key)
    if (text === undefined) return `${key} is missing`
    const found = JSON.parse(text) as Attempt
    const isOwn = found.assetId === assetId && found.step === step && found.token === token
    if (!isOwn || found.writer !== writer) return `${key} was written by another attempt: ${text}`
  }
  return undefined
}

/** A packaging step that reads the outputs of the encode step, and checks that they are complete. */
export const packaging = (database: Database, objects: Objects): Step => ({
  job: stepJob('package', 'light', retry),
  runningLabel: 'Packaging',
  waitingLabel: 'The renditions are waiting to be packaged',
  run: async (context) => {
    const plan = planOf(context.asset)
    const attempt = attemptOf(context)
    const db = database.forOrganization(attempt.organizationId)
    const wanted = { assetId: context.asset.id as AssetId, step: stepName(encode) }
    const [published] = await db.run(visiblePublications(wanted))
    await pause(plan.packageMilliseconds, context.signal, plan)
    const problem = await problemOf(objects, published)
    const keys = await putOutput(context, attempt, 'package.json')
    return recordPublication(attempt, keys, problem)
  },
})

type Visible = Publication & { readonly visibleToken: number }

async function problemOf(objects: Objects, published: readonly Visible[]) {
  const [only, ...more] = published
  if (!only) return 'nothing of the previous step is visible'
  if (more.length > 0) return `the previous step was published ${published.length} times`
  if (only.token !== only.visibleToken) {
    return `fence ${only.token} was published, but ${only.visibleToken} is visible`
  }
  return (await outputViolation(objects, only)) ?? null
}
