/**
 * `pnpm rehearse:move`: an organization is moved from one whole cell to another and back while it is used, behind the router, beside one that stays. Nothing
 * that was acknowledged may be lost or doubled, and the one that stays may notice nothing.
 */
import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'
import {
  Caller,
  Nginx,
  newOrganization,
  openOwner,
  root,
  type Send,
  Superuser,
} from '@reelkeep/testkit'
import { stackEnvironment } from '@reelkeep/testkit/settings'
import { seedFolders } from '../bench/seed-folders.ts'
import { RehearsedCell } from './cell.ts'
import { Figures, inWords } from './figures.ts'
import { startLoad } from './load.ts'
import { longestSilenceSeconds, troubleSeconds } from './load-record.ts'
import { runAdmin, runAdminWell } from './mover.ts'
import { verifyLoad } from './verify-load.ts'

const { values: options } = parseArgs({
  options: {
    /** Of load before, between and after the moves. */
    seconds: { type: 'string', default: '20' },
    short: { type: 'boolean', default: false },
    /** Kills the mover once after each of its steps, in a move each. */
    kills: { type: 'boolean', default: false },
    /** As many the organization has beforehand. */
    folders: { type: 'string', default: '0' },
    keep: { type: 'boolean', default: false },
  },
})

/** What a move promises. */
const REFUSED_SECONDS_MAX = 10

const run = promisify(execFile)
const admin = join(root, 'server/src/main/admin.ts')
const seconds = options.short ? 6 : Number(options.seconds)
const folder = mkdtempSync(join(tmpdir(), 'reelkeep-move-'))
// The router looks into it, as whoever it runs as.
chmodSync(folder, 0o755)
const cellsFile = join(folder, 'cells.json')
const say = (line: string) =>
  process.stdout.write(`${new Date().toISOString().slice(11, 23)} ${line}\n`)

await using router = await Nginx.start((_, port) => `server { listen 127.0.0.1:${port}; }`)
const { STACK_NAME: stackName, STACK_PORT } = stackEnvironment
const shared = { publicUrl: router.baseUrl, isKept: options.keep }
const stackPort = Number(STACK_PORT)
await using a = await RehearsedCell.start({ ...shared, stackName, stackPort })
await using b = await RehearsedCell.start({
  ...{ ...shared, stackName: `${stackName}-b`, stackPort: stackPort + 100 },
})
say('two cells stand')

writeFileSync(
  cellsFile,
  JSON.stringify({
    cells: { a: a.entry, b: b.entry },
    newOrganizations: 'a',
    router: {
      file: router.siteFile,
      placements: join(folder, 'placements'),
      listen: new URL(router.baseUrl).host,
      logs: dirname(router.siteFile),
    },
  }),
)
await using owner = openOwner(a.env)
const [moving, staying] = [await newOrganization(owner), await newOrganization(owner)]
await configureRouter()
if (Number(options.folders) > 0) {
  const wish = { organization: moving.organizationId, count: Number(options.folders) }
  await seedFolders(a.env.DATABASE_SUPERUSER_URL, wish, () => {})
  say(`${options.folders} folders are there`)
}

const loadOf = ({ organizationId, token }: typeof moving) =>
  startLoad({
    api: { baseUrl: () => router.baseUrl },
    organizationId,
    token: () => token,
    // Many moves are many processes to start; the load is to leave them some of a small machine.
    requestsPerSecond: options.kills ? 10 : 20,
    uploadsPerMinute: options.kills ? 3 : 12,
  })
const loads = { moving: loadOf(moving), staying: loadOf(staying) }
const figures = new Figures()
/** Of each move: where to, when it began and ended, and how many videos were being made when the organization was held. */
const moves: { to: string; span: readonly [number, number]; underWay: number }[] = []
await Promise.all([loads.moving.untilInUse(), loads.staying.untilInUse()])
say('both organizations are in use')

/** Lines of the mover, after each of which it is killed once. */
const phases = [
  'copying objects',
  'copying rows',
  'rows are in step',
  'is held in cell',
  'everything has arrived',
  'is gone from cell',
  'goes by the new directory',
  'jobs have been carried over',
  'lives in cell',
]
const kills = options.kills ? phases : [undefined, undefined]

let home = 'a'
for (const phase of kills) {
  await sleep(seconds * 1000)
  const [from, to] = [home, home === 'a' ? 'b' : 'a']
  if (phase) await killOnce(to, phase)
  await move(to)
  home = to
  await runAdminWell(cellsFile, ['forget-organization', moving.organizationId, '--cell', from])
  say(`forgotten in cell ${from}`)
}
await sleep(seconds * 1000)

const [moved, stayed] = await Promise.all([loads.moving.stop(), loads.staying.stop()])
say('the load is over; comparing')
judgeMoves()
figures.addLoad('moved', moved, await verifyLoad(moved, callerOf(moving)))
figures.judgeNone('moved: failed requests', moved.failed.map(inWords))
figures.addLoad('stayed', stayed, await verifyLoad(stayed, callerOf(staying)))
figures.judgeUntroubled('stayed', stayed)
process.exitCode = figures.print()
rmSync(folder, { recursive: true, force: true })

async function move(to: string): Promise<void> {
  const began = Date.now()
  const words = ['move-organization', moving.organizationId, '--to', to]
  let underWay = Promise.resolve(0)
  const { answer, lines } = await runAdminWell(cellsFile, words, (line) => {
    if (line.includes('is held in cell')) underWay = countUnderWay(to === 'a' ? b : a)
  })
  for (const line of lines) say(`  ${line}`)
  figures.note(`to ${to}: the mover says`, JSON.stringify(answer))
  moves.push({ to, span: [began, Date.now()], underWay: await underWay })
}

/** Only when the load is over is it known how long what began in a move has lasted. */
function judgeMoves(): void {
  const { record } = loads.moving
  for (const { to, span } of moves) {
    const isWithin = ({ at }: { readonly at: number }) => at >= span[0] && at <= span[1]
    // Of one that was killed, most of it is the time until somebody runs it again.
    const judge = (what: string, seconds: number) =>
      options.kills
        ? figures.note(`to ${to}: ${what}`, `${seconds.toFixed(2)} s`)
        : figures.judge(
            `to ${to}: ${what}`,
            `${seconds.toFixed(2)} s`,
            seconds < REFUSED_SECONDS_MAX,
          )
    judge('writes refused for', troubleSeconds(record, ['write'], span))
    judge('longest without an acknowledged write', longestSilenceSeconds(record, span))
    for (const kind of ['read', 'view'] as const) {
      const met = record.troubles.filter((one) => one.kind === kind && isWithin(one))
      const [what, those] = [`to ${to}: ${kind}s refused or failed`, met.map(inWords)]
      if (options.kills) figures.note(what, those.length)
      else figures.judgeNone(what, those)
    }
  }
  const underWay = moves.map((one) => one.underWay)
  // Those of a move that was killed may have been held by the run before; and in a short one it is chance.
  const isShown = options.kills || options.short || Math.max(...underWay) > 0
  figures.judge('videos being made at the holds', underWay.join(', '), isShown)
}

async function countUnderWay({ env }: RehearsedCell): Promise<number> {
  await using superuser = await Superuser.open(env)
  const assets = await superuser.query(
    `select distinct asset_id from pipeline_steps
     where state in ('waiting', 'running') and organization_id = '${moving.organizationId}'`,
  )
  return assets.length
}

/** With a delay that is another each time, for between two lines much happens. */
async function killOnce(to: string, phase: string): Promise<void> {
  const milliseconds = Math.floor(Math.random() * 300)
  const words = ['move-organization', moving.organizationId, '--to', to]
  const { code } = await runAdmin(cellsFile, words, { kill: { after: phase, milliseconds } })
  say(`killed ${milliseconds} ms after "${phase}"`)
  const was = `${phase}, ${milliseconds} ms`
  // After the last line there is little left to be killed in.
  figures.note(`to ${to}: killed after`, code === null ? was : `${was}; it had ended by then`)
}

/** As an operator does when the cells themselves have changed. */
async function configureRouter(): Promise<void> {
  const { stdout } = await run(process.execPath, [admin, 'router-configuration'], {
    env: { ...stackEnvironment, CELLS_FILE: cellsFile },
  })
  writeFileSync(router.siteFile, stdout)
  const [program = '', ...words] = router.reload
  await run(program, words)
  const tellsVersion = async () => {
    const answer = await fetch(`${router.baseUrl}/-/cells`).catch(() => undefined)
    return answer?.ok === true
  }
  while (!(await tellsVersion())) await sleep(50)
}

function callerOf({ organizationId, token }: typeof moving): Caller {
  const send: Send = async ({ method, path, headers, body }) => {
    const url = path.startsWith('http') ? path : router.baseUrl + path
    const answer = await fetch(url, { method, headers, body: body ?? null })
    const text = await answer.text()
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text }
  }
  return new Caller(send, organizationId, token)
}
