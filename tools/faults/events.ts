/**
 * `pnpm faults events`: tests events while the API and workers are killed, and webhook receivers are down, slow, return
 * 500, close the connection or hang.
 *
 * Schedules run in rounds, in parallel on the same processes; every round is generated from its seed.
 *
 *   --schedules N   total number of schedules (200)
 *   --seed N        seed of the first round; each further round uses the next number
 *   --only N        runs only the round with this seed; a failing round prints the command
 *   --at-once N     schedules per round (10); to repeat a round, use the same value
 */
import { parseArgs } from 'node:util'
import { setUpUploads } from '@reelkeep/testkit'
import { type RoundOutcome, runRound } from './events/event-run.ts'
import { type EventRound, eventRoundOf, WORKERS } from './events/event-schedule.ts'
import { KillableService } from './support/killable-service.ts'
import { ownStack } from './support/own-stack.ts'

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    only: { type: 'string' },
    'at-once': { type: 'string', default: '10' },
  },
})

const VIOLATIONS_SHOWN_MAX = 20

const settings = {
  WEBHOOK_DEVELOPMENT_NETWORKS: '127.0.0.0/8:*',
  // With a first pause of 2 ms, the fourth is three seconds, so a receiver gets its events soon after it recovers.
  WEBHOOK_FIRST_PAUSE_SECONDS: '0.002',
  WORKER_QUEUES: 'light',
  DATABASE_CONNECTIONS_MAX: '8',
}

const print = (line: string) => process.stdout.write(`${line}\n`)
const start = performance.now()
const minutes = () => `${((performance.now() - start) / 60_000).toFixed(1)} min`

await using stack = await ownStack()
await setUpUploads(stack.env)
await using service = await KillableService.start({ env: stack.env, settings, workers: WORKERS })

const rounds = planRounds()
const totals = { schedules: 0, events: 0, deliveries: 0, repetitions: 0, violations: 0 }
for (const round of rounds) {
  const outcome = await runRound(stack.env, service, round).catch(failedRound)
  report(round, outcome)
  totals.schedules += round.schedules.length
  totals.events += outcome.events
  totals.deliveries += outcome.deliveries
  totals.repetitions += outcome.repetitions
  totals.violations += outcome.violations.length
}
print(
  `${totals.schedules} schedules: ${totals.events} events, ${totals.deliveries} delivered, ` +
    `${totals.repetitions} delivered again, ${totals.violations} lost, duplicated or out of order (${minutes()})`,
)
process.exitCode = totals.violations > 0 ? 1 : 0
function failedRound(error: unknown): RoundOutcome {
  const nothing = { events: 0, deliveries: 0, repetitions: 0, recoverySeconds: 0 }
  return { ...nothing, violations: [error instanceof Error ? `${error.stack}` : String(error)] }
}

function planRounds(): EventRound[] {
  const atOnce = Number(values['at-once'])
  if (values.only !== undefined) return [eventRoundOf(Number(values.only), atOnce)]
  const first = Number(values.seed)
  const count = Number(values.schedules)
  return Array.from({ length: Math.ceil(count / atOnce) }, (_, index) =>
    eventRoundOf(first + index, Math.min(atOnce, count - index * atOnce)),
  )
}

function report({ seed, schedules, faults, isApiKilledLast }: EventRound, outcome: RoundOutcome): void {
  const { violations, events, deliveries, repetitions, recoverySeconds } = outcome
  const killed = faults.map(({ target, isRenamed }): string =>
    target === 'worker' && isRenamed ? 'worker, renamed' : target,
  )
  if (isApiKilledLast) killed.push('api, at the end')
  const counts = `${events} events, ${deliveries} delivered, ${repetitions} again, recovered after ${recoverySeconds.toFixed(1)} s`
  const result = violations.length > 0 ? 'FAILED' : 'passed'
  print(`${result}  seed ${seed}: ${counts}; killed: ${killed.join('; ')}  (${minutes()})`)
  for (const violation of violations.slice(0, VIOLATIONS_SHOWN_MAX)) print(`  VIOLATION  ${violation}`)
  if (violations.length > 0) {
    for (const line of service.logLines('"level":50').slice(-VIOLATIONS_SHOWN_MAX)) print(`  log    ${line}`)
    print(`  repeat with: pnpm faults events --only ${seed} --at-once ${schedules.length}`)
  }
}
