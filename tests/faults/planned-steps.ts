/** Steps that do as an asset's plan says, and write down what they publish. */
import { setTimeout as sleep } from 'node:timers/promises'
import { probe } from '@reelkeep/server/capabilities/pipeline/steps/probe.step.ts'
import {
  type Publish,
  type Step,
  type StepContext,
  stepJob,
  stepName,
  UnusableFile,
} from '@reelkeep/server/capabilities/pipeline/steps/step.ts'
import type { AssetId, OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import type { Database } from '@reelkeep/server/platform/db/database.ts'
import type { Objects } from '@reelkeep/testkit/objects'
import { type AssetPlan, planOf } from './asset-plan.ts'
import { notePublication, type Publication, visiblePublications } from './publications.store.ts'

/** How much later than it was told to end a deaf attempt comes to its end. */
const DEAF_MILLISECONDS = 3000

/** Who makes something, as each of its outputs says. */
type Making = Pick<Publication, 'assetId' | 'step' | 'token' | 'maker'>

/** An attempt is known by where it puts what it makes: `<organization>/<asset>/<step>-<token>/`. */
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

/** The step as it is; that it publishes is written down. */
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
    if (plan.isUnusable) throw new UnusableFile({ code: 'upload_empty', detail: 'Of no use.' })
    if (making.token <= plan.failsToToken) throw new Error('no luck this time')
    const pauseMilliseconds = plan.encodeMilliseconds / plan.outputCount
    const keys: string[] = []
    for (let index = 0; index < plan.outputCount; index++) {
      await pause(pauseMilliseconds, context.signal, plan)
      keys.push(...(await makeOutput(context, making, `${index}.json`, plan)))
    }
    if (plan.isDeaf && context.signal.aborted) await sleep(DEAF_MILLISECONDS)
    return noting(making, keys, null)
  },
}

function pause(milliseconds: number, signal: AbortSignal, { isDeaf }: AssetPlan) {
  return sleep(milliseconds, undefined, isDeaf ? {} : { signal })
}

/** Answers its key; none if the attempt is deaf and was told to stop, for then storage does not take it any more. */
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

/** What is wrong with a publication's outputs as they lie in storage; undefined if nothing is. */
export async function outputFault(
  objects: Objects,
  { assetId, step, token, maker, keys }: Publication,
): Promise<string | undefined> {
  for (const key of keys) {
    const text = await objects.find(key)
    if (text === undefined) return `${key} is not there`
    const found = JSON.parse(text) as Making
    const isIts = found.assetId === assetId && found.step === step && found.token === token
    if (!isIts || found.maker !== maker) return `${key} was made by another: ${text}`
  }
  return undefined
}

/** Reads what encoding has made visible, and finds it whole. */
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
  if (!only) return 'nothing of the step before is visible'
  if (more.length > 0) return `the step before was published ${published.length} times`
  if (only.token !== only.visibleToken) {
    return `token ${only.token} published, and ${only.visibleToken} is visible`
  }
  return (await outputFault(objects, only)) ?? null
}
