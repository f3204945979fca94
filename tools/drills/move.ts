/**
 * `pnpm drill move`: migrates an organization from one complete cell to another and back, while it is used through the
 * router. A second organization stays in its cell and must not be affected. No acknowledged write may be lost or
 * duplicated, and webhooks must receive every event. Before that, one migration is cancelled; the migration back ends
 * with `--no-follow`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Superuser } from '@reelkeep/testkit'
import { seedFolders } from '../bench/folders/seed-folders.ts'
import { type OpenForm, startLoad } from './load/load.ts'
import { LoadReceiver } from './load/load-receiver.ts'
import { type CancelledMove, cancelMove } from './move/cancelled-move.ts'
import { runAdmin, runAdminOrThrow } from './move/cell-commands.ts'
import { checkCancelledMove, checkMove, type Move, noteKilledMove } from './move/move-assertions.ts'
import { type CellName, MoveFixture, otherCell } from './move/move-fixture.ts'
import { moveWithoutFollowing } from './move/move-without-following.ts'
import { DrillReport, describeError } from './support/drill-report.ts'
import { verifyLoad } from './verify/verify-load.ts'

const { values: options } = parseArgs({
  options: {
    /** Seconds of load before, between and after the migrations. */
    seconds: { type: 'string', default: '20' },
    short: { type: 'boolean', default: false },
    /** Runs one migration per step of the migrator, and kills the migrator after that step. */
    kills: { type: 'boolean', default: false },
    /** Number of folders that the organization has beforehand. */
    folders: { type: 'string', default: '0' },
    keep: { type: 'boolean', default: false },
  },
})

const seconds = options.short ? 6 : Number(options.seconds)
const print = (line: string) => process.stdout.write(`${new Date().toISOString().slice(11, 23)} ${line}\n`)

await using fixture = await MoveFixture.start(options.keep)
const { cellsFile, cells } = fixture
print('two cells are running')

const [moving, staying] = [await fixture.newCaller(), await fixture.newCaller()]
const { organizationId } = moving
if (Number(options.folders) > 0) {
  const seed = { organization: organizationId, count: Number(options.folders) }
  await seedFolders(cells.a.env.DATABASE_SUPERUSER_URL, seed, () => {})
  print(`${options.folders} folders created`)
}
await using movingReceiver = await LoadReceiver.open(moving)
await using stayingReceiver = await LoadReceiver.open(staying, ['folder.*', 'asset.completed'])

const loadOf = (caller: typeof moving) =>
  startLoad({
    api: { baseUrl: () => fixture.baseUrl },
    organizationId: caller.organizationId,
    token: () => caller.token,
    // Many migrations start many processes, so the load is lower to leave them CPU time on a small machine.
    requestsPerSecond: options.kills ? 10 : 20,
    uploadsPerMinute: options.kills ? 3 : 12,
  })
const loads = { moving: loadOf(moving), staying: loadOf(staying) }
const report = new DrillReport({ isShort: options.short })
const moves: Move[] = []
const cancelledMoves: CancelledMove[] = []
await Promise.all([loads.moving.waitUntilInUse(), loads.staying.waitUntilInUse()])
print('both organizations are in use')

/** Output lines of the migrator, after each of which it is killed once. */
const phases = [
  'copying objects',
  'copying rows',
  'rows are in sync',
  'is suspended in cell',
  'everything has arrived',
  'uses the new cells file',
  'has left cell',
  'jobs have been copied',
  'is hosted by cell',
]

let home: CellName = 'a'
if (options.kills) {
  for (const phase of phases) {
    await sleep(seconds * 1000)
    await killOnce(otherCell(home), phase)
    await move()
  }
} else {
  await sleep(seconds * 1000)
  await cancelAfter('copying rows')
  await move()
  await sleep(seconds * 1000)
  if (!options.short) await cancelAfter('is suspended in cell')
  await moveBack()
}
await sleep(seconds * 1000)

const [moved, stayed] = await Promise.all([loads.moving.stop(), loads.staying.stop()])
print('the load has ended; comparing')
for (const one of moves) (options.kills ? noteKilledMove : checkMove)(report, moved, one)
for (const one of cancelledMoves) checkCancelledMove(report, moved, one)
if (!options.kills) checkSomeCancelled()
checkInProgress()
report.addLoad('moved', moved, await verifyLoad(moved, moving))
report.checkNone('moved: failed requests', moved.failed.map(describeError))
// Each migration may repeat deliveries, because the dispatcher cannot record results during the suspension.
await movingReceiver.check(report, moving, { name: 'moved', interruptions: moves.length + cancelledMoves.length })
report.addLoad('stayed', stayed, await verifyLoad(stayed, staying))
report.checkNoErrors('stayed', stayed)
await stayingReceiver.check(report, staying, { name: 'stayed', interruptions: 0 })
process.exitCode = report.print()

/** Migrates the organization to the other cell. Ends when no more files can arrive in the old cell. */
async function move(): Promise<void> {
  await moveAs(options.kills ? undefined : await loads.moving.openForm(), runToEnd)
}

async function runToEnd(args: readonly string[], onLine: (line: string) => void) {
  const { lines, answer } = await runAdminOrThrow(cellsFile, args, onLine)
  report.note(`to ${otherCell(home)}: output of the migrator`, JSON.stringify(answer))
  return lines
}

async function moveBack(): Promise<void> {
  const late = await loads.moving.openForm()
  const shared = { cellsFile, to: otherCell(home), load: loads.moving }
  await moveAs(late, (args, onLine) => moveWithoutFollowing(report, { ...shared, args, onLine }))
}

type RunMigrator = (args: readonly string[], onLine: (line: string) => void) => Promise<readonly string[]>

/**
 * Migrates the organization. Posts the form `late` to the old storage after the switch; the migrator must copy the
 * file.
 */
async function moveAs(late: OpenForm | undefined, runMigrator: RunMigrator): Promise<void> {
  const [from, to] = [home, otherCell(home)]
  const startedAt = Date.now()
  let [inProgress, posted] = [Promise.resolve(0), Promise.resolve(false)]
  const lines = await runMigrator(['move-organization', organizationId, '--to', to], (line) => {
    if (line.includes('is suspended in cell')) inProgress = countInProcessing(from)
    if (line.includes('is hosted by cell')) posted = late?.post() ?? posted
  })
  for (const line of lines) print(`  ${line}`)
  moves.push({ to, span: [startedAt, Date.now()], inProgress: await inProgress })
  if (late) {
    const isOldStorage = late.link.startsWith(cells[from].env.STORAGE_ENDPOINT)
    const what = `to ${to}: form posted to the old storage after the switch`
    const hasArrived = await posted
    const value = hasArrived ? 'arrived in the new cell' : 'never arrived'
    report.check(what, value, { isPassed: hasArrived && isOldStorage })
  }
  home = to
  await runAdminOrThrow(cellsFile, ['delete-moved-organization', organizationId, '--cell', from])
  print(`deleted in cell ${from}`)
}

async function cancelAfter(after: string): Promise<void> {
  const one = await cancelMove(fixture, report, { organizationId, from: home, after })
  cancelledMoves.push(one)
  print(`cancelled after "${after}"${one.wasTooLate ? ', too late' : ''}`)
  // If it was too late to cancel, writes are refused until the migration is finished.
  if (one.wasTooLate) await moveAs(undefined, runToEnd)
}

function checkSomeCancelled(): void {
  const count = cancelledMoves.filter((one) => !one.wasTooLate).length
  // A short drill cancels only one migration, which may be too late: the migrator is killed at a random time.
  const isPassed = options.short || count > 0
  report.check('migrations cancelled in time', `${count} of ${cancelledMoves.length}`, { isPassed })
}

function checkInProgress(): void {
  const inProgress = moves.map((one) => one.inProgress)
  // With `--kills`, an earlier run of the migrator may have suspended the organization. In a short drill, it is random
  // whether a video is being processed.
  const isPassed = options.kills || options.short || Math.max(...inProgress) > 0
  report.check('videos in processing at the suspensions', inProgress.join(', '), { isPassed })
}

async function countInProcessing(cell: CellName): Promise<number> {
  await using superuser = await Superuser.open(cells[cell].env)
  const assets = await superuser.query(
    `select distinct asset_id from pipeline_steps
     where state in ('waiting', 'running') and organization_id = '${organizationId}'`,
  )
  return assets.length
}

/** Kills the migrator after a random delay, because it does many things between two lines of output. */
async function killOnce(to: string, phase: string): Promise<void> {
  const milliseconds = Math.floor(Math.random() * 300)
  const args = ['move-organization', organizationId, '--to', to]
  const { code } = await runAdmin(cellsFile, args, { kill: { after: phase, milliseconds } })
  print(`killed ${milliseconds} ms after "${phase}"`)
  const moment = `${phase}, ${milliseconds} ms`
  // After its last line of output, the migrator may end before it is killed.
  report.note(`to ${to}: killed after`, code === null ? moment : `${moment}; it had ended by then`)
}
