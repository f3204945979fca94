/** One run: executes assets and faults on schedule, lets the service recover, then checks every asset. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ApiProcess,
  Caller,
  newOrganization,
  openOwner,
  type StackEnv,
  setUpUploads,
} from '@reelkeep/testkit'
import { Objects } from '@reelkeep/testkit/objects'
import { sendWithRetries } from '../support/send-with-retries.ts'
import { Servers } from '../support/servers.ts'
import { type ActedAsset, act } from './pipeline-actions.ts'
import { pipelineFault } from './pipeline-invariants.ts'
import { type AssetRecord, countUnrest, readRecords } from './pipeline-record.ts'
import type { Blow, PipelineSchedule } from './pipeline-schedule.ts'
import { makeNotes, readChanges, type StepChange } from './publications.ts'
import { type Recovery, recoveriesOf } from './recovery.ts'
import { Crew } from './worker-fleet.ts'

/** Time limit for all work to finish after the last fault. */
const REST_SECONDS_MAX = 600

const BUCKETS = { STORAGE_UPLOADS_BUCKET: 'piped-uploads', STORAGE_MEDIA_BUCKET: 'piped-media' }

const settings = {
  ...BUCKETS,
  // The last freeing of a deleted asset comes after both: later than any worker stays frozen.
  UPLOAD_LIFETIME_SECONDS: '30',
  UPLOAD_TRANSFER_SECONDS_MAX: '4',
  // Six workers share Postgres's connections.
  DATABASE_CONNECTIONS_MAX: '8',
}

/** Everything that may explain a violation. */
export type FaultyAsset = ActedAsset & {
  readonly fault: string
  readonly record: AssetRecord
  readonly changes: readonly StepChange[]
  readonly lines: readonly string[]
}

/** Time limit until a step of a dead worker is claimed again. Checked only if `judgesTimes` is set. */
const RECOVERY_SECONDS_MAX = 30

export type RunOutcome = {
  readonly assets: readonly ActedAsset[]
  readonly faulty: readonly FaultyAsset[]
  readonly recoveries: readonly Recovery[]
  readonly deserters: readonly string[]
  /** The faults with their time and duration. */
  readonly blows: readonly string[]
  readonly unrest: number
}

export async function runPipelines(
  env: StackEnv,
  schedule: PipelineSchedule,
  { workers, judgesTimes }: { readonly workers: number; readonly judgesTimes: boolean },
  say: (line: string) => void,
): Promise<RunOutcome> {
  await setUpUploads(env, settings)
  await makeNotes(env)
  await using api = await ApiProcess.start(settings, env)
  const callers = await newCallers(env, api, schedule.organizations)
  const entry = 'tools/faults/pipeline/pipeline-worker.ts'
  await using crew = await Crew.start({ entry, count: workers, env, settings })
  const servers = new Servers()
  const callerOf = (organization: number) => callers[organization] as Caller
  const [assets, blows] = await Promise.all([
    Promise.all(schedule.assets.map((asset) => act(callerOf(asset.organization), asset))),
    strikeAll(schedule.blows, crew, servers, say),
  ])
  say('all faults have ended, and all callers have finished')
  const unrest = await settle(env, say)
  const changes = await readChanges(env)
  const recoveries = recoveriesOf(crew.interruptions, changes, servers.outages)
  return {
    assets,
    faulty: await findFaulty(env, assets, { changes, recoveries, crew, judgesTimes }),
    recoveries,
    deserters: crew.deserters,
    blows,
    unrest,
  }
}

async function newCallers(env: StackEnv, api: ApiProcess, count: number): Promise<Caller[]> {
  await using owner = openOwner(env)
  const send = sendWithRetries(() => api)
  const callers: Caller[] = []
  for (let made = 0; made < count; made++) {
    const { organizationId, token } = await newOrganization(owner)
    callers.push(new Caller(send, organizationId, token))
  }
  return callers
}

/** On schedule, however long an earlier fault takes. */
async function strikeAll(
  blows: readonly Blow[],
  crew: Crew,
  servers: Servers,
  say: (line: string) => void,
): Promise<string[]> {
  const log: string[] = []
  let struck = 0
  const strike = async (blow: Blow) => {
    await sleep(blow.afterMilliseconds)
    const { what, forMilliseconds } = blow
    const from = Date.now()
    if (what === 'postgres' || what === 'radosgw') await servers.takeDown(what, forMilliseconds)
    else await crew.strike(blow)
    log.push(`${new Date(from).toISOString()} ${what} ${(Date.now() - from) / 1000} s`)
    struck++
    if (struck % 10 === 0) say(`${struck} of ${blows.length} events`)
  }
  await Promise.all(blows.map(strike))
  return log
}

/** Waits until no work is left; returns the remaining amount after the time limit. */
async function settle(env: StackEnv, say: (line: string) => void): Promise<number> {
  const began = performance.now()
  for (;;) {
    const unrest = await countUnrest(env)
    const seconds = (performance.now() - began) / 1000
    if (unrest === 0 || seconds > REST_SECONDS_MAX) {
      say(`no work left ${seconds.toFixed(0)} s after the last fault`)
      return unrest
    }
    await sleep(500)
  }
}

type Evidence = {
  readonly changes: readonly StepChange[]
  readonly recoveries: readonly Recovery[]
  readonly crew: Crew
  readonly judgesTimes: boolean
}

async function findFaulty(
  env: StackEnv,
  assets: readonly ActedAsset[],
  { changes, recoveries, crew, judgesTimes }: Evidence,
): Promise<FaultyAsset[]> {
  using objects = new Objects(env, BUCKETS.STORAGE_MEDIA_BUCKET)
  const recordOf = await readRecords(env)
  const faulty: FaultyAsset[] = []
  for (const asset of assets) {
    const { assetId } = asset
    const record = recordOf(assetId)
    const late = recoveries.find((one) => one.assetId === assetId && isLate(one, judgesTimes))
    const fault =
      (await pipelineFault(objects, asset, record)) ?? (late && `late: ${JSON.stringify(late)}`)
    if (!fault) continue
    const own = changes.filter((change) => change.assetId === assetId)
    faulty.push({ ...asset, fault, record, changes: own, lines: crew.linesAbout(assetId) })
  }
  return faulty
}

/** A step that was never claimed again is stuck, also where times are not checked. */
const isLate = ({ seconds }: Recovery, judgesTimes: boolean) =>
  seconds === undefined || (judgesTimes && seconds > RECOVERY_SECONDS_MAX)
