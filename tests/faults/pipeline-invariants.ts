/** What must be true of every asset once all has come to rest, whatever was killed meanwhile. */
import type { Objects } from '@reelkeep/testkit/objects'
import type { ActedAsset } from './pipeline-acts.ts'
import type { AssetRecord, HappeningRow, StepRow } from './pipeline-record.ts'
import { outputFault } from './planned-steps.ts'
import type { Publication } from './publications.store.ts'

const STEP_COUNT = 3

/** What is wrong; undefined when nothing is. */
export async function pipelineFault(
  objects: Objects,
  acted: ActedAsset,
  record: AssetRecord,
): Promise<string | undefined> {
  if (acted.expected === 'gone') return remainsFault(objects, acted, record)
  return (
    statusFault(acted, record) ??
    publicationFault(acted, record) ??
    timelineFault(acted, record.happenings) ??
    (await visibleFault(objects, record))
  )
}

/** Nothing of a deleted asset is left, in storage neither. */
async function remainsFault(
  objects: Objects,
  { organizationId, assetId }: ActedAsset,
  { asset, steps }: AssetRecord,
): Promise<string | undefined> {
  if (asset || steps.length > 0) return 'deleted, but its rows are there'
  const left = await objects.versions(`${organizationId}/${assetId}/`)
  return left.length > 0 ? `deleted, but ${left[0]?.key} is there` : undefined
}

function statusFault({ expected, plan }: ActedAsset, { asset, steps }: AssetRecord) {
  if (!asset) return 'it is gone'
  if (asset.status !== expected) return `it is ${asset.status}, and should be ${expected}`
  const code = expected === 'Error' && plan.isUnusable ? 'upload_empty' : null
  if (asset.errorCode !== code) return `its error is ${asset.errorCode}, and should be ${code}`
  const open = steps.find(({ state }) => state === 'waiting' || state === 'running')
  if (open) return `${open.step} is still ${open.state}`
  const done = steps.filter(({ state }) => state === 'done').length
  const isWhole = expected !== 'Completed' || done === STEP_COUNT
  return isWhole ? undefined : `it is Completed with ${done} of ${STEP_COUNT} steps`
}

/** Every step that is done was published once, by the attempt whose token its row bears; the others never. */
function publicationFault(_: ActedAsset, { steps, publications }: AssetRecord) {
  for (const { step, state, token } of steps) {
    const made = publications.filter((one) => one.step === step)
    const wanted = state === 'done' ? 1 : 0
    if (made.length !== wanted) return `${step} is ${state}, published ${made.length} times`
    if (made[0] && made[0].token !== token) return tokenFault(step, made[0], token)
  }
  const stray = publications.find(({ step }) => !steps.some((row) => row.step === step))
  if (stray) return `${stray.step} was published and has no row`
  const complaint = publications.find((one) => one.complaint !== null)
  return complaint && `${complaint.step} found: ${complaint.complaint}`
}

const tokenFault = (step: string, { token: published }: Publication, token: StepRow['token']) =>
  `${step} was published by token ${published}, and its row says ${token}`

async function visibleFault(objects: Objects, { publications }: AssetRecord) {
  for (const publication of publications) {
    const fault = await outputFault(objects, publication)
    if (fault) return fault
  }
  return undefined
}

/**
 * What may be told in each state of an asset, and the state after it. What is not here may be told
 * in any but the last.
 */
const told: Record<string, Partial<Record<string, string>>> = {
  'not uploaded': { uploaded: 'queued' },
  queued: { processing_started: 'processing', cancelled: 'over' },
  processing: { completed: 'completed', cancelled: 'over', upload_empty: 'over' },
  over: { retried: 'queued' },
  completed: {},
}
const turns = Object.values(told).flatMap((next) => Object.keys(next))

function timelineFault({ expected }: ActedAsset, happenings: readonly HappeningRow[]) {
  let state = 'not uploaded'
  let [number, at] = [0, 0]
  for (const happening of happenings) {
    if (happening.number !== number + 1) return `its timeline jumps to ${happening.number}`
    if (happening.at.getTime() < at) return `its timeline goes back at ${happening.number}`
    number = happening.number
    at = happening.at.getTime()
    const next = told[state]?.[happening.what]
    if (next === undefined && (turns.includes(happening.what) || state === 'completed')) {
      return `its timeline tells ${happening.what} when it is ${state}`
    }
    state = next ?? state
  }
  const isTold = (state === 'completed') === (expected === 'Completed')
  return isTold ? undefined : `its timeline ends ${state}`
}
