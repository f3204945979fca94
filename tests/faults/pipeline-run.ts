/** One run: assets and blows at their times, then peace, then every asset is looked at. */
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
import { Crew } from './crew.ts'
import { patientSend } from './patient-send.ts'
import { type ActedAsset, act } from './pipeline-acts.ts'
import { pipelineFault } from './pipeline-invariants.ts'
import { type AssetRecord, countUnrest, readRecords } from './pipeline-record.ts'
import type { Blow, PipelineSchedule } from './pipeline-schedule.ts'
import { makeNotes, readChanges, type StepChange } from './publications.ts'
import { type Recovery, recoveriesOf } from './recovery.ts'
import { Servers } from './servers.ts'

/** How long after the last blow everything must have come to rest. */
const REST_SECONDS_MAX = 180

const BUCKETS = { STORAGE_UPLOADS_BUCKET: 'piped-uploads', STORAGE_MEDIA_BUCKET: 'piped-media' }

const settings = {
  ...BUCKETS,
  // What a deleted asset left is freed for the last time after both: longer than any worker is frozen.
  UPLOAD_LIFETIME_SECONDS: '30',
  UPLOAD_TRANSFER_SECONDS_MAX: '4',
  // Six workers share what Postgres has.
  DATABASE_CONNECTIONS_MAX: '8',
}

/** All that may explain a fault. */
export type FaultyAsset = ActedAsset & {
  readonly fault: string
  readonly record: AssetRecord
  readonly changes: readonly StepChange[]
  readonly lines: readonly string[]
}

/** After this a step whose worker died is taken up again. */
const RECOVERY_SECONDS_MAX = 30

export type RunOutcome = {
  readonly assets: readonly ActedAsset[]
  readonly faulty: readonly FaultyAsset[]
  readonly recoveries: readonly Recovery[]
  readonly deserters: readonly string[]
  /** What was done, when, and how long it took until it was mended. */
  readonly blows: readonly string[]
  readonly unrest: number
}

export async function runPipelines(
  env: StackEnv,
  schedule: PipelineSchedule,
  workers: number,
  say: (line: string) => void,
): Promise<RunOutcome> {
  await setUpUploads(env, settings)
  await makeNotes(env)
  await using api = await ApiProcess.start(settings, env)
  const callers = await newCallers(env, api, schedule.organizations)
  const entry = 'tests/faults/pipeline-worker.ts'
  await using crew = await Crew.start({ entry, count: workers, env, settings })
  const servers = new Servers()
  const callerOf = (organization: number) => callers[organization] as Caller
  const [assets, blows] = await Promise.all([
    Promise.all(schedule.assets.map((asset) => act(callerOf(asset.organization), asset))),
    strikeAll(schedule.blows, crew, servers, say),
  ])
  say('all events are over, and all callers have done what they wanted')
  const unrest = await settle(env, say)
  const changes = await readChanges(env)
  const recoveries = recoveriesOf(crew.interruptions, changes, servers.outages)
  return {
    assets,
    faulty: await findFaulty(env, assets, { changes, recoveries, crew }),
    recoveries,
    deserters: crew.deserters,
    blows,
    unrest,
  }
}

async function newCallers(env: StackEnv, api: ApiProcess, count: number): Promise<Caller[]> {
  await using owner = openOwner(env)
  const send = patientSend(() => api)
  const callers: Caller[] = []
  for (let made = 0; made < count; made++) {
    const { organizationId, token } = await newOrganization(owner)
    callers.push(new Caller(send, organizationId, token))
  }
  return callers
}

/** At their times, however long one before them takes. */
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
    if (what === 'postgres' || what === 'radosgw') await servers.takeAway(what, forMilliseconds)
    else await crew.strike(blow)
    log.push(`${new Date(from).toISOString()} ${what} ${(Date.now() - from) / 1000} s`)
    struck++
    if (struck % 10 === 0) say(`${struck} of ${blows.length} events`)
  }
  await Promise.all(blows.map(strike))
  return log
}

/** Waits until nothing is under way any more; answers what still is when patience is over. */
async function settle(env: StackEnv, say: (line: string) => void): Promise<number> {
  const began = performance.now()
  for (;;) {
    const unrest = await countUnrest(env)
    const seconds = (performance.now() - began) / 1000
    if (unrest === 0 || seconds > REST_SECONDS_MAX) {
      say(`at rest ${seconds.toFixed(0)} s after the last event`)
      return unrest
    }
    await sleep(500)
  }
}

type Evidence = {
  readonly changes: readonly StepChange[]
  readonly recoveries: readonly Recovery[]
  readonly crew: Crew
}

async function findFaulty(
  env: StackEnv,
  assets: readonly ActedAsset[],
  { changes, recoveries, crew }: Evidence,
): Promise<FaultyAsset[]> {
  using objects = new Objects(env, BUCKETS.STORAGE_MEDIA_BUCKET)
  const recordOf = await readRecords(env)
  const faulty: FaultyAsset[] = []
  for (const asset of assets) {
    const { assetId } = asset
    const record = recordOf(assetId)
    const late = recoveries.find((one) => one.assetId === assetId && isLate(one))
    const fault =
      (await pipelineFault(objects, asset, record)) ?? (late && `late: ${JSON.stringify(late)}`)
    if (!fault) continue
    const own = changes.filter((change) => change.assetId === assetId)
    faulty.push({ ...asset, fault, record, changes: own, lines: crew.linesAbout(assetId) })
  }
  return faulty
}

const isLate = ({ seconds = Number.POSITIVE_INFINITY }: Recovery) => seconds > RECOVERY_SECONDS_MAX
