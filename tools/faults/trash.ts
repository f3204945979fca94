/**
 * `pnpm faults trash`: tests the trash and legal holds with concurrent callers while the API and workers are killed.
 * Callers delete, restore, purge, hold and replace videos and folders, one by one and in bulk, and the time of some in
 * the trash ends. Afterwards every restored video must equal the created one in every row and byte, nothing on hold may
 * be gone, the events must lead to the state of the rows, and storage must hold exactly the files of the remaining
 * videos and their versions.
 *
 * Schedules run in rounds, in parallel on the same processes; every round is generated from its seed.
 *
 *   --schedules N   total number of schedules (300)
 *   --seed N        seed of the first round; each further round uses the next number
 *   --only N        runs only the round with this seed; a failing round prints the command
 *   --at-once N     schedules per round (10); to repeat a round, use the same value
 */
import { parseArgs } from 'node:util'
import { readApiConfig } from '@reelkeep/server/platform/config/env.ts'
import { ApiProcess, Objects, openOwner, Publisher, Superuser, setUpUploads } from '@reelkeep/testkit'
import { KillableService } from './support/killable-service.ts'
import { ownStack } from './support/own-stack.ts'
import { type RoundOutcome, runRound, type Service } from './trash/trash-run.ts'
import { type TrashRound, trashRoundOf, WORKERS } from './trash/trash-schedule.ts'

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '300' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    only: { type: 'string' },
    'at-once': { type: 'string', default: '10' },
  },
})

const VIOLATIONS_SHOWN_MAX = 20

const settings = {
  WORKER_QUEUES: 'light',
  DATABASE_CONNECTIONS_MAX: '8',
  RATE_LIMIT_PER_MINUTE: '100000000',
  FAILED_PLAYBACK_PER_MINUTE: '100000000',
}

const print = (line: string) => process.stdout.write(`${line}\n`)
const start = performance.now()
const minutes = () => `${((performance.now() - start) / 60_000).toFixed(1)} min`

await using stack = await ownStack()
const { env } = stack
await setUpUploads(env)
await using processes = await KillableService.start({ env, settings, workers: WORKERS })
// Viewers use another API process than the callers, so that process must be notified of each deletion.
await using viewers = await ApiProcess.start(settings, env)
const service = { env, processes, tools: await openTools() }

const totals = { schedules: 0, restored: 0, purged: 0, replaced: 0, violations: 0, stopped: 0, returned: 0 }
for (const round of planRounds()) {
  const outcome = await runRound(service, round).catch(failedRound)
  report(round, outcome)
  totals.schedules += round.schedules.length
  totals.restored += outcome.restored
  totals.purged += outcome.purged
  totals.replaced += outcome.replaced
  totals.violations += outcome.violations.length
  for (const { stopped, returned } of outcome.delays) {
    totals.stopped = Math.max(totals.stopped, stopped)
    totals.returned = Math.max(totals.returned, returned)
  }
}
print(
  `${totals.schedules} schedules: ${totals.restored} restored at the end, ${totals.purged} purged, ${totals.replaced} versions uploaded, playback stopped ` +
    `within ${totals.stopped.toFixed(2)} s and returned within ${totals.returned.toFixed(2)} s, ` +
    `${totals.violations} violations (${minutes()})`,
)
process.exitCode = totals.violations > 0 ? 1 : 0

async function openTools(): Promise<Service['tools']> {
  const { KEY_ENCRYPTION_KEYS, STORAGE_UPLOADS_BUCKET, STORAGE_MEDIA_BUCKET } = readApiConfig(env)
  return {
    superuser: await Superuser.open(env),
    owner: openOwner(env),
    keyRing: KEY_ENCRYPTION_KEYS,
    publisher: await Publisher.open(env),
    buckets: [new Objects(env, STORAGE_UPLOADS_BUCKET), new Objects(env, STORAGE_MEDIA_BUCKET)],
    play: (path) => viewers.send({ method: 'GET', path, headers: {}, body: undefined }),
  }
}

function failedRound(error: unknown): RoundOutcome {
  return {
    restored: 0,
    purged: 0,
    replaced: 0,
    delays: [],
    violations: [error instanceof Error ? `${error.stack}` : String(error)],
  }
}

function planRounds(): TrashRound[] {
  const atOnce = Number(values['at-once'])
  if (values.only !== undefined) return [trashRoundOf(Number(values.only), atOnce)]
  const first = Number(values.seed)
  const count = Number(values.schedules)
  return Array.from({ length: Math.ceil(count / atOnce) }, (_, index) =>
    trashRoundOf(first + index, Math.min(atOnce, count - index * atOnce)),
  )
}

function report({ seed, schedules, faults }: TrashRound, { violations, restored, purged }: RoundOutcome): void {
  const killed = faults.map(({ target }) => target).join(', ')
  const result = violations.length > 0 ? 'FAILED' : 'passed'
  print(`${result}  seed ${seed}: ${restored} restored, ${purged} purged; killed: ${killed}  (${minutes()})`)
  for (const violation of violations.slice(0, VIOLATIONS_SHOWN_MAX)) print(`  VIOLATION  ${violation}`)
  if (violations.length > 0) {
    for (const line of processes.logLines('"level":50').slice(-VIOLATIONS_SHOWN_MAX)) print(`  log    ${line}`)
    print(`  repeat with: pnpm faults trash --only ${seed} --at-once ${schedules.length}`)
  }
}
