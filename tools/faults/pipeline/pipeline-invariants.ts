/** Invariants of every asset after all faults have ended and all work is done. */
import type { Objects } from '@reelkeep/testkit/objects'
import type { ScenarioAsset } from './pipeline-actions.ts'
import type { AssetRecord, StepRow, TimelineRow } from './pipeline-record.ts'
import { outputViolation } from './planned-steps.ts'
import type { Publication } from './publications.ts'

const STEP_COUNT = 3

/** Returns the first violation, if any. */
export async function findViolation(
  objects: Objects,
  asset: ScenarioAsset,
  record: AssetRecord,
): Promise<string | undefined> {
  if (asset.expected === 'gone') return leftoverViolation(objects, asset, record)
  return (
    statusViolation(asset, record) ??
    publicationViolation(record) ??
    timelineViolation(asset, record.timeline) ??
    (await outputsViolation(objects, record))
  )
}

/** A deleted asset must have no rows, and no objects in storage. */
async function leftoverViolation(
  objects: Objects,
  { organizationId, assetId }: ScenarioAsset,
  { asset, steps }: AssetRecord,
): Promise<string | undefined> {
  if (asset || steps.length > 0) return 'deleted, but its rows exist'
  const left = await objects.versions(`${organizationId}/${assetId}/`)
  return left.length > 0 ? `deleted, but ${left[0]?.key} exists` : undefined
}

function statusViolation({ expected, plan }: ScenarioAsset, { asset, steps }: AssetRecord) {
  if (!asset) return 'it does not exist'
  if (asset.status !== expected) return `its status is ${asset.status}, expected ${expected}`
  const code = expected === 'Error' && plan.isUnusable ? 'upload_empty' : null
  if (asset.errorCode !== code) return `its error is ${asset.errorCode}, expected ${code}`
  const open = steps.find(({ state }) => state === 'waiting' || state === 'running')
  if (open) return `${open.step} is still ${open.state}`
  const done = steps.filter(({ state }) => state === 'done').length
  const isWhole = expected !== 'Completed' || done === STEP_COUNT
  return isWhole ? undefined : `it is Completed with ${done} of ${STEP_COUNT} steps`
}

/**
 * Every finished step must have been published once, by the attempt whose fence is in its row. Other steps must not
 * have been published.
 */
function publicationViolation({ steps, publications }: AssetRecord) {
  for (const { step, state, token } of steps) {
    const published = publications.filter((one) => one.step === step)
    const wanted = state === 'done' ? 1 : 0
    if (published.length !== wanted) return `${step} is ${state}, published ${published.length} times`
    const [first] = published
    if (first && first.token !== token) return tokenViolation(step, first, token)
  }
  const orphan = publications.find(({ step }) => !steps.some((row) => row.step === step))
  if (orphan) return `${orphan.step} was published and has no row`
  const problem = publications.find((one) => one.problem !== null)
  return problem && `${problem.step} found: ${problem.problem}`
}

const tokenViolation = (step: string, { token: published }: Publication, token: StepRow['token']) =>
  `${step} was published with fence ${published}, but its row has ${token}`

async function outputsViolation(objects: Objects, { publications }: AssetRecord) {
  for (const publication of publications) {
    const violation = await outputViolation(objects, publication)
    if (violation) return violation
  }
  return undefined
}

/** Entries of clients' changes, which are allowed in every state. */
const edits = new Set(['renamed', 'moved'])

/**
 * Allowed timeline entries for each state of an asset, with the resulting state. Entries that are not listed here are
 * allowed in every state except `completed`.
 */
const transitions: Record<string, Partial<Record<string, string>>> = {
  'not uploaded': { uploaded: 'queued' },
  queued: { processing_started: 'processing', cancelled: 'over' },
  processing: { completed: 'completed', cancelled: 'over', upload_empty: 'over' },
  over: { retried: 'queued' },
  completed: {},
}
const transitionEntries = Object.values(transitions).flatMap((next) => Object.keys(next))

/** Replays the timeline of an asset whose last status is `expected`; returns the first violation, if any. */
export function timelineViolation(
  { expected }: Pick<ScenarioAsset, 'expected'>,
  timeline: readonly Omit<TimelineRow, 'assetId'>[],
): string | undefined {
  let state = 'not uploaded'
  let [number, at] = [0, 0]
  for (const entry of timeline) {
    if (entry.number !== number + 1) return `its timeline jumps to ${entry.number}`
    if (entry.at.getTime() < at) return `its timeline goes back in time at ${entry.number}`
    number = entry.number
    at = entry.at.getTime()
    if (edits.has(entry.what)) continue
    const next = transitions[state]?.[entry.what]
    if (next === undefined && (transitionEntries.includes(entry.what) || state === 'completed')) {
      return `its timeline has ${entry.what} in the state ${state}`
    }
    state = next ?? state
  }
  const isExpected = (state === 'completed') === (expected === 'Completed')
  return isExpected ? undefined : `its timeline ends in the state ${state}`
}
