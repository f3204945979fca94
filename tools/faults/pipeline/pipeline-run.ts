/** One run: executes assets and faults on schedule, lets the service recover, then checks every asset. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiProcess, Caller, newOrganization, openOwner, type StackEnv, setUpUploads } from '@reelkeep/testkit'
import { Objects } from '@reelkeep/testkit/objects'
import { sendWithRetries } from '../support/send-with-retries.ts'
import { Servers } from '../support/servers.ts'
import { runScenario, type ScenarioAsset } from './pipeline-actions.ts'
import { findViolation } from './pipeline-invariants.ts'
import { type AssetRecord, countUnfinished, readRecords } from './pipeline-record.ts'
import type { Fault, PipelineSchedule } from './pipeline-schedule.ts'
import { createRecordTables, readChanges, type StepChange } from './publications.ts'
import { type Recovery, recoveriesOf } from './recovery.ts'
import { WorkerFleet } from './worker-fleet.ts'

/** Time limit for all work to finish after the last fault. */
const IDLE_SECONDS_MAX = 600

const BUCKETS = { STORAGE_UPLOADS_BUCKET: 'piped-uploads', STORAGE_MEDIA_BUCKET: 'piped-media' }

const settings = {
  ...BUCKETS,
  // The files of a deleted asset are deleted again after both its upload lifetime and its transfer time, when no frozen
  // worker can write them any more.
  UPLOAD_LIFETIME_SECONDS: '30',
  UPLOAD_TRANSFER_SECONDS_MAX: '4',
  // Few connections per worker, because all workers share the connections of Postgres.
  DATABASE_CONNECTIONS_MAX: '8',
}

/** An asset with a violation, and everything that may explain it. */
export type ViolatingAsset = ScenarioAsset & {
  readonly violation: string
  readonly record: AssetRecord
  readonly changes: readonly StepChange[]
  readonly lines: readonly string[]
}

/** Time limit until a step of a dead worker is claimed again. Checked only if `checksTimes` is set. */
const RECOVERY_SECONDS_MAX = 30

export type RunOutcome = {
  readonly assets: readonly ScenarioAsset[]
  readonly violating: readonly ViolatingAsset[]
  readonly recoveries: readonly Recovery[]
  readonly unexpectedExits: readonly string[]
  /** The faults with their time and duration. */
  readonly faults: readonly string[]
  readonly unfinished: number
}

type RunOptions = {
  readonly schedule: PipelineSchedule
  readonly workers: number
  readonly checksTimes: boolean
}

export async function runPipelines(
  env: StackEnv,
  { schedule, workers, checksTimes }: RunOptions,
  print: (line: string) => void,
): Promise<RunOutcome> {
  await setUpUploads(env, settings)
  await createRecordTables(env)
  await using api = await ApiProcess.start(settings, env)
  const callers = await newCallers(env, api, schedule.organizations)
  const entry = 'tools/faults/pipeline/pipeline-worker.ts'
  await using fleet = await WorkerFleet.start({ entry, count: workers, env, settings })
  const servers = new Servers()
  const callerOf = (organization: number) => callers[organization] as Caller
  const [assets, faults] = await Promise.all([
    Promise.all(schedule.assets.map((asset) => runScenario(callerOf(asset.organization), asset))),
    injectFaults(schedule.faults, { fleet, servers }, print),
  ])
  print('all faults have ended, and all callers have finished')
  const unfinished = await waitForIdle(env, print)
  const changes = await readChanges(env)
  const recoveries = recoveriesOf(fleet.interruptions, changes, servers.outages)
  return {
    assets,
    violating: await findViolating(env, assets, { changes, recoveries, fleet, checksTimes }),
    recoveries,
    unexpectedExits: fleet.unexpectedExits,
    faults,
    unfinished,
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

/** Injects the faults on schedule, even if an earlier fault has not ended. */
async function injectFaults(
  faults: readonly Fault[],
  { fleet, servers }: { readonly fleet: WorkerFleet; readonly servers: Servers },
  print: (line: string) => void,
): Promise<string[]> {
  const log: string[] = []
  let injected = 0
  const inject = async (fault: Fault) => {
    await sleep(fault.afterMilliseconds)
    const { what, forMilliseconds } = fault
    const from = Date.now()
    if (what === 'postgres' || what === 'radosgw') await servers.takeDown(what, forMilliseconds)
    else await fleet.inject(fault)
    log.push(`${new Date(from).toISOString()} ${what} ${(Date.now() - from) / 1000} s`)
    injected++
    if (injected % 10 === 0) print(`${injected} of ${faults.length} events`)
  }
  await Promise.all(faults.map(inject))
  return log
}

/** Waits until no work is left. Returns the number of unfinished items, which is not 0 only after the time limit. */
async function waitForIdle(env: StackEnv, print: (line: string) => void): Promise<number> {
  const began = performance.now()
  for (;;) {
    const unfinished = await countUnfinished(env)
    const seconds = (performance.now() - began) / 1000
    if (unfinished === 0 || seconds > IDLE_SECONDS_MAX) {
      print(`no work left ${seconds.toFixed(0)} s after the last fault`)
      return unfinished
    }
    await sleep(500)
  }
}

type Evidence = {
  readonly changes: readonly StepChange[]
  readonly recoveries: readonly Recovery[]
  readonly fleet: WorkerFleet
  readonly checksTimes: boolean
}

async function findViolating(
  env: StackEnv,
  assets: readonly ScenarioAsset[],
  { changes, recoveries, fleet, checksTimes }: Evidence,
): Promise<ViolatingAsset[]> {
  using objects = new Objects(env, BUCKETS.STORAGE_MEDIA_BUCKET)
  const recordOf = await readRecords(env)
  const violating: ViolatingAsset[] = []
  for (const asset of assets) {
    const { assetId } = asset
    const record = recordOf(assetId)
    const late = recoveries.find((one) => one.assetId === assetId && isLate(one, checksTimes))
    const violation = (await findViolation(objects, asset, record)) ?? (late && `late: ${JSON.stringify(late)}`)
    if (!violation) continue
    const own = changes.filter((change) => change.assetId === assetId)
    violating.push({ ...asset, violation, record, changes: own, lines: fleet.linesAbout(assetId) })
  }
  return violating
}

/** Whether a step was claimed again too late, or never. The latter counts even if times are not checked. */
const isLate = ({ seconds }: Recovery, checksTimes: boolean) =>
  seconds === undefined || (checksTimes && seconds > RECOVERY_SECONDS_MAX)
