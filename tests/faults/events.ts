/**
 * `pnpm faults:events`: what becomes of events when API and workers are killed, and receivers are
 * down, slow, answer 500, close half way or hang.
 *
 * Schedules run in rounds, side by side on the same processes; every round follows from its seed.
 *
 *   --schedules N   in all (200)
 *   --seed N        of the first round; the others have those after it
 *   --only N        runs the round of this seed alone; a failing one prints the command
 *   --at-once N     schedules a round (10); a round is repeated with as many as it had
 */
import { parseArgs } from 'node:util'
import { setUpUploads } from '@reelkeep/testkit'
import { type RoundOutcome, runRound } from './event-run.ts'
import { type EventRound, eventRoundOf } from './event-schedule.ts'
import { EventService } from './event-service.ts'
import { ownStack } from './own-stack.ts'

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
  `${totals.schedules} schedules: ${totals.events} events, ${totals.deliveries} told to a receiver, ` +
    `${totals.repetitions} of them told again, ${totals.faults} lost, doubled or out of order (${minutes()})`,
)
process.exitCode = totals.faults > 0 ? 1 : 0

/** Whatever could not even be carried out. */
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
  if (isStruckLast) struck.push('api, last of all')
  const figures = `${events} events, ${deliveries} told, ${repetitions} again, rest after ${restSeconds.toFixed(1)} s`
  const verdict = faults.length > 0 ? 'FAULT' : 'fine'
  say(`${verdict}  seed ${seed}: ${figures}; killed: ${struck.join('; ')}  (${minutes()})`)
  for (const fault of faults.slice(0, FAULTS_SHOWN_MAX)) say(`  FAULT  ${fault}`)
  if (faults.length > 0) {
    for (const line of service.linesAbout('"level":50').slice(-FAULTS_SHOWN_MAX))
      say(`  log    ${line}`)
    say(`  again: pnpm faults:events --only ${seed} --at-once ${schedules.length}`)
  }
}
