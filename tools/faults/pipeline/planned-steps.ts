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
import {
  notePublication,
  openGates,
  type Publication,
  visiblePublications,
} from './publications.store.ts'

/** How long a deaf attempt continues after its abort signal. */
const DEAF_MILLISECONDS = 3000

const GATE_MILLISECONDS = 50

/** Identifies the maker in each output. */
type Making = Pick<Publication, 'assetId' | 'step' | 'token' | 'maker'>

/** An attempt is identified by its output prefix: `<organization>/<asset>/<step>-<fence>/`. */
function makingOf({ outputs }: Pick<StepContext, 'outputs'>): Making & {
  readonly organizationId: OrganizationId
} {
  const [organizationId = '', assetId = '', attempt = ''] = outputs.prefix.split('/')
  const dash = attempt.lastIndexOf('-')
  return {
    organizationId: organizationId as OrganizationId,
    assetId,
    step: attempt.slice(0, dash),
    token: Number(attempt.slice(dash + 1)),
    maker: crypto.randomUUID(),
  }
}

const noting =
  (making: Making, keys: readonly string[], complaint: string | null): Publish =>
  async (tx) => {
    await tx.run(notePublication({ ...making, keys, complaint }))
  }

/** The same step, with its publication recorded. */
export const noted = (step: Step): Step => ({
  ...step,
  run: async (context) => {
    const publish = await step.run(context)
    return async (tx, asset) => {
      await publish(tx, asset)
      await noting(makingOf(context), [], null)(tx, asset)
    }
  },
})

/** The service's own first step. */
export const notedProbe = noted(probe)

export const encode: Step = {
  job: stepJob('encode', {
    queue: 'encode',
    attemptsMax: 8,
    firstPauseSeconds: 1,
    attemptSecondsMax: 60,
  }),
  does: 'Encoding',
  awaits: 'The file waits to be encoded',
  run: async (context) => {
    const plan = planOf(context.asset)
    const making = makingOf(context)
    if (plan.isUnusable) throw new UnusableFile({ code: 'upload_empty', detail: 'Unusable.' })
    if (making.token <= plan.failsToToken) throw new Error('failed on purpose')
    const pauseMilliseconds = plan.encodeMilliseconds / plan.outputCount
    const keys: string[] = []
    for (let index = 0; index < plan.outputCount; index++) {
      await pause(pauseMilliseconds, context.signal, plan)
      if (index === plan.outputCount - 1) await passGate(context)
      keys.push(...(await makeOutput(context, making, `${index}.json`, plan)))
    }
    if (plan.isDeaf && !plan.isGated && context.signal.aborted) await sleep(DEAF_MILLISECONDS)
    return noting(making, keys, null)
  },
}

/** Returns at once unless the plan is gated. The gate counts as shut while the database is unavailable. */
export async function passGate({ asset, db, signal }: StepContext): Promise<void> {
  const plan = planOf(asset)
  const isShut = () =>
    db.run(openGates(asset.id as AssetId)).then(
      ([rows]) => rows.length === 0,
      () => true,
    )
  while (plan.isGated && (await isShut())) await pause(GATE_MILLISECONDS, signal, plan)
}

function pause(milliseconds: number, signal: AbortSignal, { isDeaf }: AssetPlan) {
  return sleep(milliseconds, undefined, isDeaf ? {} : { signal })
}

/** Returns its key; undefined if the attempt is deaf and was aborted, because storage then refuses it. */
async function makeOutput(
  { outputs, signal }: StepContext,
  making: Making,
  name: string,
  { isDeaf }: AssetPlan,
): Promise<string[]> {
  const { assetId, step, token, maker } = making
  const text = JSON.stringify({ assetId, step, token, maker, name })
  try {
    await outputs.put(name, text, 'application/json')
    return [`${outputs.prefix}${name}`]
  } catch (error) {
    if (!isDeaf || !signal.aborted) throw error
    return []
  }
}

/** What is wrong with a publication's outputs in storage; undefined if nothing is. */
export async function outputFault(
  objects: Objects,
  { assetId, step, token, maker, keys }: Publication,
): Promise<string | undefined> {
  for (const key of keys) {
    const text = await objects.find(key)
    if (text === undefined) return `${key} is missing`
    const found = JSON.parse(text) as Making
    const isIts = found.assetId === assetId && found.step === step && found.token === token
    if (!isIts || found.maker !== maker) return `${key} was made by another attempt: ${text}`
  }
  return undefined
}

/** Reads what encoding has published, and checks that it is complete. */
export const packaging = (database: Database, objects: Objects): Step => ({
  job: stepJob('package', {
    queue: 'light',
    attemptsMax: 8,
    firstPauseSeconds: 1,
    attemptSecondsMax: 60,
  }),
  does: 'Packaging',
  awaits: 'The renditions wait to be packaged',
  run: async (context) => {
    const plan = planOf(context.asset)
    const making = makingOf(context)
    const db = database.forOrganization(making.organizationId)
    const wanted = { assetId: context.asset.id as AssetId, step: stepName(encode) }
    const [published] = await db.run(visiblePublications(wanted))
    await pause(plan.packageMilliseconds, context.signal, plan)
    const complaint = await complaintAbout(objects, published)
    const keys = await makeOutput(context, making, 'package.json', plan)
    return noting(making, keys, complaint)
  },
})

type Visible = Publication & { readonly visibleToken: number }

async function complaintAbout(objects: Objects, published: readonly Visible[]) {
  const [only, ...more] = published
  if (!only) return 'nothing of the previous step is visible'
  if (more.length > 0) return `the previous step was published ${published.length} times`
  if (only.token !== only.visibleToken) {
    return `fence ${only.token} was published, but ${only.visibleToken} is visible`
  }
  return (await outputFault(objects, only)) ?? null
}
