/** One run of a mix on its own stack: load, faults, and the checks after all faults have ended. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Caller, newCaller, runStack, type Send, type StackEnv, Superuser, setUpUploads } from '@reelkeep/testkit'
import { stackEnvironment } from '@reelkeep/testkit/settings'
import { startLoad } from '../../drills/load/load.ts'
import { LoadReceiver, receiverSettings } from '../../drills/load/load-receiver.ts'
import type { LoadRecord } from '../../drills/load/load-record.ts'
import { DrillReport } from '../../drills/support/drill-report.ts'
import { ownStack } from '../support/own-stack.ts'
import { sendWithRetries } from '../support/send-with-retries.ts'
import { checkInvariants } from './checks/mix-invariants.ts'
import { Churn } from './churn.ts'
import type { FaultName, FaultSite } from './fault-kinds.ts'
import type { PlannedFault } from './mix-schedule.ts'
import { MixService } from './mix-service.ts'
import { Network } from './network.ts'
import { RefusedRequests } from './refused-requests.ts'
import { runFaults } from './run-faults.ts'

const settings = {
  ...receiverSettings,
  // With a first pause of 2 ms, the fourth is three seconds, so a receiver gets its events soon after it recovers.
  WEBHOOK_FIRST_PAUSE_SECONDS: '0.002',
  DATABASE_CONNECTIONS_MAX: '10',
  // Files of deleted videos are deleted again when nothing can be uploaded any more, which the run waits for.
  UPLOAD_LIFETIME_SECONDS: '240',
  UPLOAD_TRANSFER_SECONDS_MAX: '10',
  UPLOAD_FIRST_CHECK_SECONDS: '5',
  UPLOAD_SWEEP_SECONDS: '2',
  DRAIN_SECONDS: '1',
  WORKER_DRAIN_SECONDS: '5',
}

/** Offset of the standby's port from the port of the stack. */
const STANDBY = 39
/** Quota of the organization whose videos are deleted again. */
const ASSETS_MAX = 2
const UPLOADS_PER_MINUTE = 5
const VIDEOS_PER_MINUTE = 6
const RETRY_SECONDS = 900
/** Seconds of load after the last fault, once a write has succeeded. */
const QUIET_SECONDS = 10
const RECOVERY_SECONDS_MAX = 120

export type MixRun = {
  readonly seed: number
  readonly faults: readonly PlannedFault[]
}

/** Runs the faults under load. The report lists what was checked. */
export async function runMix({ seed, faults }: MixRun, print: (line: string) => void): Promise<DrillReport> {
  // A killed run may have left a promoted standby, or objects.
  await runStack('wipe')
  await using stack = await ownStack()
  await setUpUploads(stack.env)
  const standbyPort = Number(stackEnvironment.STACK_PORT) + STANDBY
  await using network = await Network.open(stackEnvironment.STACK_NAME)
  await using service = await MixService.start({ env: stack.env, standbyPort, settings })
  const api = { baseUrl: () => service.baseUrl }
  const caller = await newCaller(
    sendWithRetries(() => ({ send: sendTo(service.baseUrl) })),
    stack.env,
  )
  const stranger = await newCaller(
    sendWithRetries(() => ({ send: sendTo(service.baseUrl) })),
    stack.env,
  )
  await using receiver = await LoadReceiver.open(caller)
  const site: FaultSite = { service, network, receiver, isFailedOver: false }
  const currentEnv = () => (site.isFailedOver ? atPort(stack.env, standbyPort) : stack.env)
  await setQuota(stack.env, stranger)

  const { organizationId, token } = caller
  const load = startLoad({
    ...{ api, organizationId, token: () => token, seed, retrySeconds: RETRY_SECONDS },
    ...{ uploadsPerMinute: UPLOADS_PER_MINUTE, requestsPerSecond: 20 },
  })
  const { record } = load
  const strangerLogin = { organizationId: stranger.organizationId, token: stranger.token }
  const churn = new Churn({ api, ...strangerLogin, seed, videosPerMinute: VIDEOS_PER_MINUTE })
  const refused = new RefusedRequests({ api, owner: { organizationId, token }, record, stranger: strangerLogin, seed })
  const quota = countMostAssets(currentEnv, stranger.organizationId)
  await load.waitUntilInUse()
  print(`in use; ${faults.length} faults follow`)

  const { started, errors } = await runFaults(site, faults, print)
  const healedAt = Date.now()
  const isBack = await waitForWrites(record, healedAt)
  print('all faults have ended')
  await sleep(QUIET_SECONDS * 1000)
  await Promise.all([load.stop(), churn.stop(), refused.stop()])
  const assetsMost = await quota.stop()
  print('the load has ended')
  const report = new DrillReport()
  const evidence = { service, env: currentEnv(), record, caller, receiver, churn, refused, assetsMost }
  const secrets = secretsOf(stack.env, [caller, stranger])
  report.note(`${started.length} faults`, describeFaults(started))
  report.checkNone('faults that could not be run', errors)
  const recovery = `within ${RECOVERY_SECONDS_MAX} s of the last fault`
  report.check('writes succeed again', isBack ? recovery : `not ${recovery}`, { isPassed: isBack })
  const failovers = Number(site.isFailedOver)
  await checkInvariants(report, { ...evidence, assetsMax: ASSETS_MAX, secrets, faults: started.length, failovers })
  return report
}

/** How often each kind of fault was run. */
function describeFaults(names: readonly FaultName[]): string {
  const byName = Map.groupBy(names, (name) => name)
  return [...byName].map(([name, { length }]) => `${name} ${length}`).join(', ')
}

const sendTo =
  (baseUrl: string): Send =>
  async ({ method, path, headers, body }) => {
    const answer = await fetch(baseUrl + path, { method, headers, body: body ?? null })
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() }
  }

/** Returns the settings with the server at another port. */
function atPort(env: StackEnv, port: number): StackEnv {
  const moved = (address: string) => address.replace(/@127\.0\.0\.1:\d+/, `@127.0.0.1:${port}`)
  return {
    ...env,
    DATABASE_URL: moved(env.DATABASE_URL),
    DATABASE_WORKER_URL: moved(env.DATABASE_WORKER_URL),
    DATABASE_OWNER_URL: moved(env.DATABASE_OWNER_URL),
    DATABASE_SUPERUSER_URL: moved(env.DATABASE_SUPERUSER_URL),
  }
}

async function setQuota(env: StackEnv, { organizationId }: Caller): Promise<void> {
  await using superuser = await Superuser.open(env)
  await superuser.query('update organizations set quota_assets = $2 where id = $1', [organizationId, ASSETS_MAX])
}

/** Counts the assets of an organization every second. `stop` returns the highest count. */
function countMostAssets(env: () => StackEnv, organizationId: string) {
  const stopping = new AbortController()
  let most = 0
  const count = async () => {
    await using superuser = await Superuser.open(env())
    const [row] = await superuser.query<{ count: number }>(
      'select count(*)::int as count from assets where organization_id = $1',
      [organizationId],
    )
    most = Math.max(most, row?.count ?? 0)
  }
  const run = async () => {
    while (!stopping.signal.aborted) {
      // Postgres may be down.
      await count().catch(() => undefined)
      await sleep(1000, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  const running = run()
  const stop = async () => {
    stopping.abort()
    await running
    return most
  }
  return { stop }
}

async function waitForWrites(record: LoadRecord, since: number): Promise<boolean> {
  const deadline = performance.now() + RECOVERY_SECONDS_MAX * 1000
  while (performance.now() < deadline) {
    if ((record.acknowledgedAt.at(-1) ?? 0) > since) return true
    await sleep(100)
  }
  return false
}

/** Texts that must not be in any log. */
function secretsOf(env: StackEnv, callers: readonly Caller[]): string[] {
  const passwordIn = (url: string) => decodeURIComponent(new URL(url).password)
  return [
    ...callers.map(({ token }) => token.slice(token.lastIndexOf('_') + 1)),
    ...[passwordIn(env.DATABASE_URL), passwordIn(env.DATABASE_WORKER_URL), passwordIn(env.DATABASE_OWNER_URL)],
    ...[env.STORAGE_SECRET_ACCESS_KEY, env.STORAGE_UPLOAD_SECRET_ACCESS_KEY, env.PLAYBACK_SECRET],
    env.KEY_ENCRYPTION_KEYS.slice(env.KEY_ENCRYPTION_KEYS.indexOf(':') + 1),
  ]
}
