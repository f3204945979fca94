/**
 * `pnpm drill restore`: the database and the storage of a service in use are destroyed and restored. First everything
 * is lost, then the database alone. Afterwards every acknowledged write must exist, and database and buckets must
 * agree in both directions. The role, the member and the invitation that were created last must exist as well, and the
 * audit log must be intact.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { assets } from '@reelkeep/contract'
import { MediaBucket } from '@reelkeep/server/platform/storage/media-bucket.ts'
import { newCaller, poll, runStack, Superuser, setUpUploads, storageOf, TestBrowser } from '@reelkeep/testkit'
import { KillableService } from '../faults/support/killable-service.ts'
import { ownStack } from '../faults/support/own-stack.ts'
import { Chance } from '../faults/support/random.ts'
import { startLoad } from './load/load.ts'
import { LoadReceiver, receiverSettings } from './load/load-receiver.ts'
import { type AssetRecord, errorSeconds } from './load/load-record.ts'
import { BackedUpPostgres } from './restore/backed-up-postgres.ts'
import { BackedUpStorage, type MissingRow, type OrphanRow } from './restore/backed-up-storage.ts'
import {
  checkFiles,
  checkRequests,
  excludeLost,
  type Loss,
  type Outage,
  reportedLost,
  reportedRecreated,
  SWEEP_SECONDS,
  withoutReported,
} from './restore/restore-assertions.ts'
import { addPeople, checkPeople, type People } from './restore/restored-people.ts'
import { DrillReport } from './support/drill-report.ts'
import { verifyLoad } from './verify/verify-load.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '45' },
    short: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
/** Maximum seconds of load before each disaster. */
const loadSeconds = values.short ? 8 : Number(values.seconds)
const chance = new Chance(Number(values.seed))
const print = (line: string) =>
  process.stdout.write(`${(performance.now() / 1000).toFixed(1).padStart(6)} s  ${line}\n`)

/** Time limit of each wait, for example until the load continues. */
const TIMEOUT_SECONDS = 120
/** Time limit for all videos to be completed at the end, also on a busy machine. */
const VIDEOS_SECONDS_MAX = 600

print(`seed ${values.seed}, ${loadSeconds} s of load before each disaster`)
const report = new DrillReport({ isShort: values.short })
// An aborted run may have left servers running that wait for a deleted backup.
await runStack('wipe')
await using own = await ownStack()
const { env } = own
await setUpUploads(env)
await using postgres = await BackedUpPostgres.open(env)
await using storage = await BackedUpStorage.open(env)
const settings = { ...receiverSettings, UPLOAD_SWEEP_SECONDS: String(SWEEP_SECONDS) }
await using service = await KillableService.start({ env, settings })
const caller = await newCaller(service.send, env)
const { organizationId, token } = caller
await using receiver = await LoadReceiver.open(caller)

const newBrowser = () => new TestBrowser(service.send, service.baseUrl)
const peopleBefore: { readonly name: string; readonly people: People }[] = []

const load = startLoad({
  api: { baseUrl: () => service.baseUrl },
  organizationId,
  token: () => token,
  uploadsPerMinute: values.short ? 30 : 20,
  retrySeconds: 600,
  seed: Number(values.seed),
})
const { record } = load
await postgres.begin()
storage.begin()
print('in use, with every commit on two disks and continuous storage backups')

const first = await loseEverything()
await waitUntilLoadContinues()
const second = await loseDatabase()
await waitUntilLoadContinues()
await storage.end()
await load.stop()
print('the load has ended')

excludeLost(report, record, first)
checkFiles(report, record, first)
checkRequests(report, record, [first, second])
const result = withoutReported(await verifyLoad(record, caller, VIDEOS_SECONDS_MAX), first)
report.addLoad('load', record, result)
await checkRecreated(first)
await checkConsistency(first)
const admin = (...args: string[]) => storage.admin(...args)
for (const before of peopleBefore) await checkPeople(report, before, { caller, newBrowser, admin })
await receiver.check(report, caller, { name: 'load', interruptions: 2 })
process.exitCode = report.print()

/** First disaster: Postgres, storage, API and worker are killed and their data deleted; only the backups remain. */
async function loseEverything(): Promise<Loss> {
  await waitFor('a backup run', () => storage.backupRuns.length > 0)
  await useAndCopy()
  await addPeopleBefore('everything lost')
  const at = Date.now()
  await Promise.all([
    service.killAll(),
    runStack('fault', ['postgres-kill']).then(() => runStack('fault', ['rgw-kill'])),
  ])
  const backedUpAt = storage.lastStartedAt
  await Promise.all([postgres.forget(), storage.end()])
  await runStack('wipe')
  print(`everything is lost; the last backup run started ${seconds(at - backedUpAt)} s before`)
  const startedAt = performance.now()
  const since = () => ((performance.now() - startedAt) / 1000).toFixed(1)
  await Promise.all([postgres.restore(), runStack('up', ['ceph'])])
  report.note('everything lost: Postgres answers again', `${since()} s`)
  report.note('everything lost: videos in processing at that moment', await countInProcessing())
  await setUpUploads(env)
  const restored = await storage.admin('restore-storage')
  // `restore-storage` exits with 1, because files uploaded after the last backup run are missing. This is expected.
  report.note(
    'everything lost: storage is restored',
    `${since()} s, ${restored.result['objects']} objects, ${restored.result['bytes']} bytes`,
  )
  const { result, stderr } = await storage.admin('reconcile-storage', '--retry')
  if (!result['missing']) throw new Error(`reconcile-storage: ${stderr}`)
  await postgres.begin()
  await service.startAll()
  report.note('everything lost: callers are served again', `${since()} s`)
  const servedAt = Date.now()
  storage.begin()
  print('restored')
  return { at, servedAt, backedUpAt, missing: result['missing'] as MissingRow[] }
}

/** Runs the load until a random time, and makes a base backup in the middle. */
async function useAndCopy(): Promise<void> {
  const milliseconds = chance.integer(loadSeconds * 600, loadSeconds * 1000)
  await sleep(milliseconds / 2)
  await postgres.copyAgain()
  print('base backup created under load')
  await sleep(milliseconds / 2)
}

/** Immediately before a loss, so they are in no base backup. */
async function addPeopleBefore(name: string): Promise<void> {
  peopleBefore.push({ name, people: await addPeople(caller, newBrowser()) })
}

async function countInProcessing(): Promise<number> {
  await using superuser = await Superuser.open(env)
  const assets = await superuser.query(
    `select distinct asset_id from pipeline_steps where state in ('waiting', 'running')`,
  )
  return assets.length
}

/** Second disaster: only Postgres is lost. The API and the worker wait until it is restored. */
async function loseDatabase(): Promise<Outage> {
  await useAndCopy()
  await addPeopleBefore('database lost')
  const at = Date.now()
  await postgres.lose()
  print('the database is lost')
  await postgres.restore()
  report.note('database lost: Postgres answers again', `${seconds(Date.now() - at)} s`)
  const answersAt = Date.now()
  await postgres.begin()
  await waitFor('the load to continue', () => (record.answeredAt.write.at(-1) ?? 0) > answersAt)
  const servedAt = Date.now()
  await waitUntilLoadContinues()
  report.note(
    'database lost: duration of failed requests',
    `${errorSeconds(record, ['write'], [at, servedAt]).toFixed(1)} s`,
  )
  return { at, servedAt }
}

/** Waits until a write has succeeded and an upload has completed. */
async function waitUntilLoadContinues(): Promise<void> {
  const now = Date.now()
  const isSince = (moment: number | undefined) => moment !== undefined && moment > now
  await waitFor('the load to continue', () => isSince(record.answeredAt.write.at(-1)))
  await waitFor('a file', () => record.assets.some(({ file }) => isSince(file.completedAt)))
}

/** Checks that the videos that `reconcile-storage` reprocesses are completed. Other checks verify that they play. */
async function checkRecreated(loss: Loss): Promise<void> {
  const promised = [...reportedRecreated(loss)]
  const unfinished: string[] = []
  for (const id of promised) if (!(await isCompleted(id))) unfinished.push(id)
  const completed = `${promised.length - unfinished.length} of ${promised.length}`
  report.check('reprocessed videos: completed', completed, { isPassed: unfinished.length === 0, details: unfinished })
}

/**
 * Checks `reconcile-storage`. At first, it may find only the differences that were already reported. Then the drill
 * adds an orphan and deletes segments, which the command must name. After the repair, it must find no further
 * differences.
 */
async function checkConsistency(loss: Loss): Promise<void> {
  const reported = reportedLost(loss)
  const before = await reconcile()
  const unexpected = before.missing.filter(({ asset }) => !reported.has(asset))
  report.checkNone('missing in storage at the end, and not reported', unexpected.map(describeMissing))
  report.checkNone(
    'orphans in storage at the end',
    before.orphans.map(({ prefix }) => prefix),
  )

  using bucket = new MediaBucket(storageOf(env))
  const orphan = `${organizationId}/${crypto.randomUUID()}/`
  await bucket.put({ key: `${orphan}left-behind`, body: 'x', type: 'text/plain' })
  const victim = await findCompleted()
  if (!victim) return report.check('planted', 'no video left to take segments from', { isPassed: false })
  await bucket.deleteAll(`${organizationId}/${victim.id}/video-encode`)
  const planted = await reconcile('--retry')
  const isNamed = (rows: readonly MissingRow[]) => rows.some(({ asset }) => asset === victim.id)
  report.check('planted: missing segments are named', victim.id, { isPassed: isNamed(planted.missing) })
  report.check('planted: orphans are named', orphan, {
    isPassed: planted.orphans.some(({ prefix }) => prefix === orphan),
  })
  await bucket.deleteAll(orphan)
  await waitFor('the planted video', () => isCompleted(victim.id))
  const after = await reconcile()
  const left = [...after.missing.filter(({ asset }) => !reported.has(asset)).map(describeMissing)]
  report.checkNone('planted: differences left after the repair', left)
  report.check('reconcile exits with 0 only if no file was lost', `exit ${after.code}`, {
    isPassed: (after.code === 0) === (reported.size === 0),
  })
}

async function findCompleted(): Promise<AssetRecord | undefined> {
  for (const asset of record.assets) if (await isCompleted(asset.id)) return asset
  return undefined
}

async function isCompleted(id: string): Promise<boolean> {
  const { status, body } = await caller.get<assets.Asset>(`assets/${id}/`)
  return status === 200 && body.video.status === 'Completed'
}

function describeMissing({ missing, asset }: MissingRow): string {
  return `${missing} of ${asset}`
}

async function reconcile(...args: string[]) {
  const { code, result, stderr } = await storage.admin('reconcile-storage', ...args)
  if (!result['missing']) throw new Error(`reconcile-storage: ${stderr}`)
  const [missing, orphans] = [result['missing'] as MissingRow[], result['orphans'] as OrphanRow[]]
  return { code, missing, orphans }
}

function waitFor(what: string, isTrue: () => boolean | Promise<boolean>) {
  return poll(what, TIMEOUT_SECONDS, isTrue)
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1)
}
