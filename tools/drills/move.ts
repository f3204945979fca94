/**
 * `pnpm drill move`: an organization is migrated from one complete cell to another and back while it is used, behind
 * the router, next to one that stays. No acknowledged write may be lost or duplicated, webhooks get every event, and
 * the other organization must not be affected. One migration is abandoned before; on the way back it ends with
 * `--no-follow`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Superuser } from '@reelkeep/testkit'
import { seedFolders } from '../bench/folders/seed-folders.ts'
import { startLoad } from './load/load.ts'
import { LoadReceiver } from './load/load-receiver.ts'
import { verifyLoad } from './load/verify-load.ts'
import { type AbandonedMove, abandonMove } from './move/cancelled-move.ts'
import { runAdmin, runAdminWell } from './move/cell-commands.ts'
import { LateForm } from './move/late-form.ts'
import { judgeAbandoned, judgeMove, type Move, noteKilledMove } from './move/move-assertions.ts'
import { type CellName, MoveStage, otherCell } from './move/move-fixture.ts'
import { moveUnfollowed } from './move/stale-router.ts'
import { Figures, inWords } from './support/figures.ts'

const { values: options } = parseArgs({
  options: {
    /** Seconds of load before, between and after the migrations. */
    seconds: { type: 'string', default: '20' },
    short: { type: 'boolean', default: false },
    /** Kills the migrator once after each of its steps, in one migration each. */
    kills: { type: 'boolean', default: false },
    /** Number of folders that the organization has beforehand. */
    folders: { type: 'string', default: '0' },
    keep: { type: 'boolean', default: false },
  },
})

const seconds = options.short ? 6 : Number(options.seconds)
const say = (line: string) =>
  process.stdout.write(`${new Date().toISOString().slice(11, 23)} ${line}\n`)

await using fixture = await MoveStage.start(options.keep)
const { cellsFile, cells } = fixture
say('two cells are running')

const [moving, staying] = [await fixture.newCaller(), await fixture.newCaller()]
const { organizationId } = moving
if (Number(options.folders) > 0) {
  const wish = { organization: organizationId, count: Number(options.folders) }
  await seedFolders(cells.a.env.DATABASE_SUPERUSER_URL, wish, () => {})
  say(`${options.folders} folders created`)
}
await using movingReceiver = await LoadReceiver.open(moving)
await using stayingReceiver = await LoadReceiver.open(staying, ['folder.*', 'asset.completed'])

const loadOf = (caller: typeof moving) =>
  startLoad({
    api: { baseUrl: () => fixture.baseUrl },
    organizationId: caller.organizationId,
    token: () => caller.token,
    // Many migrations start many processes; the load leaves them some of a small machine.
    requestsPerSecond: options.kills ? 10 : 20,
    uploadsPerMinute: options.kills ? 3 : 12,
  })
const loads = { moving: loadOf(moving), staying: loadOf(staying) }
const figures = new Figures({ isShort: options.short })
const moves: Move[] = []
const abandoned: AbandonedMove[] = []
await Promise.all([loads.moving.untilInUse(), loads.staying.untilInUse()])
say('both organizations are in use')

/** Output lines of the migrator, after each of which it is killed once. */
const phases = [
  'copying objects',
  'copying rows',
  'rows are in sync',
  'is suspended in cell',
  'everything has arrived',
  'uses the new directory',
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
  await abandon('copying rows')
  await move()
  await sleep(seconds * 1000)
  if (!options.short) await abandon('is suspended in cell')
  await moveBack()
}
await sleep(seconds * 1000)

const [moved, stayed] = await Promise.all([loads.moving.stop(), loads.staying.stop()])
say('the load has ended; comparing')
for (const one of moves) (options.kills ? noteKilledMove : judgeMove)(figures, moved, one)
for (const one of abandoned) judgeAbandoned(figures, moved, one)
if (!options.kills) judgeSomeAbandoned()
judgeUnderWay()
figures.addLoad('moved', moved, await verifyLoad(moved, moving))
figures.judgeNone('moved: failed requests', moved.failed.map(inWords))
// From the suspension on, the dispatcher cannot record results.
await movingReceiver.judge(figures, 'moved', moving, moves.length + abandoned.length)
figures.addLoad('stayed', stayed, await verifyLoad(stayed, staying))
figures.judgeUntroubled('stayed', stayed)
await stayingReceiver.judge(figures, 'stayed', staying, 0)
process.exitCode = figures.print()

/** Migrates to the other cell, until no file can arrive in the old one. */
async function move(): Promise<void> {
  const late = options.kills ? undefined : await LateForm.open(loads.moving, oldStorage())
  await moveAs(late, toTheEnd)
}

async function toTheEnd(words: readonly string[], onLine: (line: string) => void) {
  const { lines, answer } = await runAdminWell(cellsFile, words, onLine)
  figures.note(`to ${otherCell(home)}: output of the migrator`, JSON.stringify(answer))
  return lines
}

async function moveBack(): Promise<void> {
  const late = await LateForm.open(loads.moving, oldStorage())
  const shared = { cellsFile, to: otherCell(home), load: loads.moving }
  await moveAs(late, (words, onLine) => moveUnfollowed(figures, { ...shared, words, onLine }))
}

type RunMover = (
  words: readonly string[],
  onLine: (line: string) => void,
) => Promise<readonly string[]>

async function moveAs(late: LateForm | undefined, runMover: RunMover): Promise<void> {
  const [from, to] = [home, otherCell(home)]
  const began = Date.now()
  let underWay = Promise.resolve(0)
  const lines = await runMover(['move-organization', organizationId, '--to', to], (line) => {
    if (line.includes('is suspended in cell')) underWay = countUnderWay(from)
    if (line.includes('is hosted by cell')) late?.post()
  })
  for (const line of lines) say(`  ${line}`)
  moves.push({ to, span: [began, Date.now()], underWay: await underWay })
  await late?.judge(figures, to)
  home = to
  await runAdminWell(cellsFile, ['delete-moved-organization', organizationId, '--cell', from])
  say(`deleted in cell ${from}`)
}

async function abandon(after: string): Promise<void> {
  const wish = { organizationId, from: home, after, milliseconds: 0 }
  const one = await abandonMove(fixture, figures, wish)
  abandoned.push(one)
  say(`abandoned after "${after}"${one.wasTooLate ? ', too late' : ''}`)
  // Writes are refused until the migration is finished.
  if (one.wasTooLate) await moveAs(undefined, toTheEnd)
}

function judgeSomeAbandoned(): void {
  const count = abandoned.filter((one) => !one.wasTooLate).length
  // Whether the migrator finishes before the kill is random, and a short drill has only one attempt.
  const isShown = options.short || count > 0
  figures.judge('migrations abandoned in time', `${count} of ${abandoned.length}`, isShown)
}

function judgeUnderWay(): void {
  const underWay = moves.map((one) => one.underWay)
  // In a killed migration the previous run may have suspended them; in a short drill it is random.
  const isShown = options.kills || options.short || Math.max(...underWay) > 0
  figures.judge('videos in processing at the suspensions', underWay.join(', '), isShown)
}

async function countUnderWay(cell: CellName): Promise<number> {
  await using superuser = await Superuser.open(cells[cell].env)
  const assets = await superuser.query(
    `select distinct asset_id from pipeline_steps
     where state in ('waiting', 'running') and organization_id = '${organizationId}'`,
  )
  return assets.length
}

/** With a random delay, because much happens between two lines. */
async function killOnce(to: string, phase: string): Promise<void> {
  const milliseconds = Math.floor(Math.random() * 300)
  const words = ['move-organization', organizationId, '--to', to]
  const { code } = await runAdmin(cellsFile, words, { kill: { after: phase, milliseconds } })
  say(`killed ${milliseconds} ms after "${phase}"`)
  const was = `${phase}, ${milliseconds} ms`
  // After the last line there is little left to kill.
  figures.note(`to ${to}: killed after`, code === null ? was : `${was}; it had ended by then`)
}

function oldStorage(): string {
  return cells[home].env.STORAGE_ENDPOINT
}
