/**
 * `pnpm bench:webhooks`: how long receivers of webhooks wait for what happened, while some of them hang.
 *
 * A thousand receivers, each a host of its own (webhook-receivers.ts), one of a hundred never
 * answers. They belong to 250 organizations, which have four webhooks each, one for each of four
 * kinds of events: every change that the API makes is so told to exactly one receiver. Changes come
 * by the clock, through the real API, and a real worker delivers. A delay counts from when the
 * event was written, just before its commit, to when the request arrives; how long the API took is
 * told beside it. Then so many wait that the worker has enough to do, and bare undici posts the
 * same bodies to the same receivers.
 *
 *   --seconds N     of changes (60)
 *   --rate N        changes a second (200)
 *   --receivers N   (1000)
 *   --workers N     processes that deliver (1)
 *   --backlog N     events that wait, for the comparison with undici (10000)
 */
import { parseArgs } from 'node:util'
import { printTable } from './table.ts'
import { measureDelays } from './webhook-delays.ts'
import { openWebhookStage } from './webhook-organizations.ts'
import { measureRates, type Rate } from './webhook-rates.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    rate: { type: 'string', default: '200' },
    receivers: { type: 'string', default: '1000' },
    workers: { type: 'string', default: '1' },
    backlog: { type: 'string', default: '10000' },
  },
})
const GOAL_P99_SECONDS = 2
/** Shorter runs show that it works, and judge nothing that depends on time. */
const SECONDS_TO_JUDGE_BY = 20

const [seconds, rate] = [Number(values.seconds), Number(values.rate)]
const workers = Number(values.workers)
await using stage = await openWebhookStage(Number(values.receivers))

const delays = await measureDelays(stage, { seconds, rate, workers })
const percentile = (share: number, sorted = delays.milliseconds) =>
  sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN
const p99Seconds = percentile(0.99) / 1000
printTable([
  {
    receivers: values.receivers,
    'of them hanging': stage.hanging,
    'events/s': rate,
    events: delays.changes,
    'refused by the API': delays.refused,
    'told to the others': delays.arrived,
    'p50 ms': Math.round(percentile(0.5)),
    'p95 ms': Math.round(percentile(0.95)),
    'p99 ms': Math.round(percentile(0.99)),
    'max ms': Math.round(percentile(1)),
    'goal p99 ms': GOAL_P99_SECONDS * 1000,
    'the API answered, p50 ms': Math.round(percentile(0.5, delays.apiMilliseconds)),
    'p99 ms ': Math.round(percentile(0.99, delays.apiMilliseconds)),
    'CPU µs a delivery: worker': Math.round(delays.workerMicroseconds),
    API: Math.round(delays.apiMicroseconds),
    'Postgres for both': Math.round(delays.postgresMicroseconds),
  },
])
if (delays.missing > 0) process.stdout.write(`\n${delays.missing} events never arrived\n`)

const first = delays.next
const { ours, bare } = await measureRates(stage, { first, count: Number(values.backlog), workers })
process.stdout.write('\n')
printTable([rowOf('Reelkeep', ours), rowOf('bare undici', bare)])
process.stdout.write(
  `\nAt saturation ${(ours.perSecond / bare.perSecond).toFixed(2)} of bare undici's deliveries a second, ` +
    `${(ours.cpuMicroseconds / bare.cpuMicroseconds).toFixed(1)} times its CPU in the process that delivers.\n` +
    `Goal: p99 from the commit to the arrival at most ${GOAL_P99_SECONDS} s, for receivers that answer.\n`,
)
const isLate = seconds >= SECONDS_TO_JUDGE_BY && !(p99Seconds <= GOAL_P99_SECONDS)
if (isLate || delays.missing > 0) process.exitCode = 1

function rowOf(side: string, { perSecond, cpuMicroseconds, postgresMicroseconds }: Rate) {
  return {
    side,
    'deliveries/s': Math.round(perSecond),
    'CPU µs a delivery': Math.round(cpuMicroseconds),
    'Postgres CPU µs': Math.round(postgresMicroseconds),
    'deliveries a CPU second': Math.round(1e6 / (cpuMicroseconds + postgresMicroseconds)),
  }
}
