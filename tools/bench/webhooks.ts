/**
 * `pnpm bench webhooks`: measures the delay of webhook deliveries while some receivers hang.
 *
 * A thousand receivers run on different hosts (webhook-receivers.ts); one in a hundred never responds. They belong to
 * 250 organizations with four webhooks each, one for each of four event types, so every change is delivered to exactly
 * one receiver. Changes are made at fixed times through the real API, and a real worker delivers. A delay counts from
 * when the event was written, just before its commit, to when the request arrives; the response time of the API is
 * printed as well. Then a backlog saturates the worker, and bare undici posts the same bodies to the same receivers.
 *
 *   --seconds N     duration of the changes (60)
 *   --rate N        changes per second (200)
 *   --receivers N   number of receivers (1000)
 *   --workers N     number of delivering processes (1)
 *   --backlog N     number of waiting events for the comparison with undici (10000)
 */
import { parseArgs } from 'node:util'
import { printTable } from './support/table.ts'
import { measureDelays } from './webhooks/webhook-delays.ts'
import { openWebhookFixture } from './webhooks/webhook-organizations.ts'
import { measureRates, type Rate } from './webhooks/webhook-rates.ts'

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
/**
 * Minimum duration for which results that depend on time are checked. Shorter runs only show that the benchmark runs.
 */
const ASSESSED_SECONDS_MIN = 20

const [seconds, rate] = [Number(values.seconds), Number(values.rate)]
const workers = Number(values.workers)
await using fixture = await openWebhookFixture(Number(values.receivers))

const delays = await measureDelays(fixture, { seconds, rate, workers })
const percentile = (fraction: number, sorted = delays.milliseconds) =>
  sorted[Math.ceil(fraction * sorted.length) - 1] ?? Number.NaN
const p99Seconds = percentile(0.99) / 1000
printTable([
  {
    receivers: values.receivers,
    'of these hanging': fixture.hanging,
    'events/s': rate,
    events: delays.changes,
    'rejected by the API': delays.rejected,
    'delivered to the others': delays.arrived,
    'p50 ms': Math.round(percentile(0.5)),
    'p95 ms': Math.round(percentile(0.95)),
    'p99 ms': Math.round(percentile(0.99)),
    'max ms': Math.round(percentile(1)),
    'goal p99 ms': GOAL_P99_SECONDS * 1000,
    'API response, p50 ms': Math.round(percentile(0.5, delays.apiMilliseconds)),
    'p99 ms ': Math.round(percentile(0.99, delays.apiMilliseconds)),
    'CPU µs a delivery: worker': Math.round(delays.workerMicroseconds),
    API: Math.round(delays.apiMicroseconds),
    'Postgres for both': Math.round(delays.postgresMicroseconds),
    'all together': Math.round(delays.workerMicroseconds + delays.apiMicroseconds + delays.postgresMicroseconds),
  },
])
if (delays.missing > 0) process.stdout.write(`\n${delays.missing} events never arrived\n`)

const first = delays.next
const { ours, bare } = await measureRates(fixture, {
  first,
  count: Number(values.backlog),
  workers,
})
process.stdout.write('\n')
printTable([rowOf('Reelkeep', ours), rowOf('bare undici', bare)])
process.stdout.write(
  `\nAt saturation ${(ours.perSecond / bare.perSecond).toFixed(2)} of bare undici's deliveries per second, ` +
    `${(ours.cpuMicroseconds / bare.cpuMicroseconds).toFixed(1)} times its CPU time in the delivering process.\n` +
    `Goal: p99 from the commit to the arrival at most ${GOAL_P99_SECONDS} s, for receivers that respond.\n`,
)
const isLate = seconds >= ASSESSED_SECONDS_MIN && !(p99Seconds <= GOAL_P99_SECONDS)
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
