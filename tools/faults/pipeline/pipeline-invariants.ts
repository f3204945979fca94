/** Invariants of every asset after all faults have ended and all work is done. */
import type { Objects } from '@reelkeep/testkit/objects'
import type { ActedAsset } from './pipeline-actions.ts'
import type { AssetRecord, HappeningRow, StepRow } from './pipeline-record.ts'
import { outputFault } from './planned-steps.ts'
import type { Publication } from './publications.store.ts'

const STEP_COUNT = 3

/** The violation; undefined if there is none. */
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

/** Nothing of a deleted asset remains, not in storage either. */
async function remainsFault(
  objects: Objects,
  { organizationId, assetId }: ActedAsset,
  { asset, steps }: AssetRecord,
): Promise<string | undefined> {
  if (asset || steps.length > 0) return 'deleted, but its rows exist'
  const left = await objects.versions(`${organizationId}/${assetId}/`)
  return left.length > 0 ? `deleted, but ${left[0]?.key} exists` : undefined
}

function statusFault({ expected, plan }: ActedAsset, { asset, steps }: AssetRecord) {
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

/** Every finished step was published once, by the attempt whose fence its row has; other steps never. */
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
  `${step} was published with fence ${published}, but its row has ${token}`

async function visibleFault(objects: Objects, { publications }: AssetRecord) {
  for (const publication of publications) {
    const fault = await outputFault(objects, publication)
    if (fault) return fault
  }
  return undefined
}

/**
 * Allowed timeline entries for each state of an asset, with the state after it. Entries that are not listed are
 * allowed in every state except the last.
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
    if (happening.at.getTime() < at) return `its timeline goes back in time at ${happening.number}`
    number = happening.number
    at = happening.at.getTime()
    const next = told[state]?.[happening.what]
    if (next === undefined && (turns.includes(happening.what) || state === 'completed')) {
      return `its timeline has ${happening.what} in the state ${state}`
    }
    state = next ?? state
  }
  const isTold = (state === 'completed') === (expected === 'Completed')
  return isTold ? undefined : `its timeline ends in the state ${state}`
}
