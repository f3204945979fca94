/**
 * `pnpm faults events`: events while the API and workers are killed, and receivers are down, slow, answer 500, close
 * the connection or hang.
 *
 * Schedules run in rounds, in parallel on the same processes; every round is generated from its seed.
 *
 *   --schedules N   total number (200)
 *   --seed N        of the first round; the others have the following ones
 *   --only N        runs only the round of this seed; a failing round prints the command
 *   --at-once N     schedules per round (10); to repeat a round, use the same number
 */
import { parseArgs } from 'node:util'
import { setUpUploads } from '@reelkeep/testkit'
import { type RoundOutcome, runRound } from './events/event-run.ts'
import { type EventRound, eventRoundOf } from './events/event-schedule.ts'
import { EventService } from './events/event-service.ts'
import { ownStack } from './support/own-stack.ts'

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    only: { type: 'string' },
    'at-once': { type: 'string', default: '10' },
  },
})

const FAULTS_SHOWN_MAX = 20

const say = (line: string) => process.stdout.write(`${line}\n`)
const began = performance.now()
const minutes = () => `${((performance.now() - began) / 60_000).toFixed(1)} min`

await using stack = await ownStack()
await setUpUploads(stack.env)
await using service = await EventService.open(stack.env)

const rounds = plannedRounds()
const totals = { schedules: 0, events: 0, deliveries: 0, repetitions: 0, faults: 0 }
for (const round of rounds) {
  const outcome = await runRound(stack.env, service, round).catch(collapsed)
  tell(round, outcome)
  totals.schedules += round.schedules.length
  totals.events += outcome.events
  totals.deliveries += outcome.deliveries
  totals.repetitions += outcome.repetitions
  totals.faults += outcome.faults.length
}
say(
  `${totals.schedules} schedules: ${totals.events} events, ${totals.deliveries} delivered, ` +
    `${totals.repetitions} delivered again, ${totals.faults} lost, duplicated or out of order (${minutes()})`,
)
process.exitCode = totals.faults > 0 ? 1 : 0

/** The outcome of a round that threw an error. */
function collapsed(error: unknown): RoundOutcome {
  const nothing = { events: 0, deliveries: 0, repetitions: 0, restSeconds: 0 }
  return { ...nothing, faults: [error instanceof Error ? `${error.stack}` : String(error)] }
}

function plannedRounds(): EventRound[] {
  const atOnce = Number(values['at-once'])
  if (values.only !== undefined) return [eventRoundOf(Number(values.only), atOnce)]
  const first = Number(values.seed)
  const count = Number(values.schedules)
  return Array.from({ length: Math.ceil(count / atOnce) }, (_, index) =>
    eventRoundOf(first + index, Math.min(atOnce, count - index * atOnce)),
  )
}

function tell({ seed, schedules, blows, isStruckLast }: EventRound, outcome: RoundOutcome): void {
  const { faults, events, deliveries, repetitions, restSeconds } = outcome
  const struck = blows.map(({ what, isRenamed }): string =>
    what === 'worker' && isRenamed ? 'worker, renamed' : what,
  )
  if (isStruckLast) struck.push('api, at the end')
  const figures = `${events} events, ${deliveries} delivered, ${repetitions} again, recovered after ${restSeconds.toFixed(1)} s`
  const verdict = faults.length > 0 ? 'FAULT' : 'fine'
  say(`${verdict}  seed ${seed}: ${figures}; killed: ${struck.join('; ')}  (${minutes()})`)
  for (const fault of faults.slice(0, FAULTS_SHOWN_MAX)) say(`  FAULT  ${fault}`)
  if (faults.length > 0) {
    for (const line of service.linesAbout('"level":50').slice(-FAULTS_SHOWN_MAX))
      say(`  log    ${line}`)
    say(`  repeat with: pnpm faults events --only ${seed} --at-once ${schedules.length}`)
  }
}
