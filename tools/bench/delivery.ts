/**
 * `pnpm bench delivery`: measures the cost of serving and authorizing viewers.
 *
 * First, the API alone serves media files of two sizes, alternately with a bare relay: `node:http` and undici, without
 * authorization or verification. Then it serves the same media files and playlists, alternately without authorization (`open`) and with
 * two hundred different tokens. Then two hundred viewers with their own tokens watch one video from beginning to end
 * through the edge of deploy/nginx. Everything runs on this machine.
 */
import { parseArgs } from 'node:util'
import { signatureHeaders } from '@reelkeep/server/platform/storage/reading/signature.ts'
import { freePort, setUpUploads, startEdge, startStack, storageOf } from '@reelkeep/testkit'
import { alternate } from './support/alternate.ts'
import { openBenchService } from './support/bench-service.ts'
import { startBareServer } from './support/compare.ts'
import { cpuSecondsOf } from './support/cpu-time.ts'
import { openDelivery } from './support/delivery-fixture.ts'
import { checkGoals, ROUNDS_TO_CHECK } from './support/goals.ts'
import { inFlight } from './support/in-flight.ts'
import { type Load, sendLoad } from './support/load.ts'
import { median, printTable } from './support/table.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '4' },
    viewers: { type: 'string', default: '200' },
  },
})
const CONNECTIONS = 32
const CONCURRENT_VIEWERS = 50
const RATIO_MIN = 0.9
const HIT_RATIO_MIN = 0.95
/** Minimum throughput of the API, relative to a bare relay. */
const RELAY_RATIO_MIN = 0.8

await setUpUploads(await startStack())
await using service = await openBenchService('bench_delivery')
const fixture = await openDelivery(service, Number(values.viewers))

const loadOf = (paths: readonly string[], url = service.baseUrl): Load => ({
  ...{ method: 'GET', url, headers: {}, body: {}, paths },
  ...{ seconds: Number(values.seconds), connections: CONNECTIONS },
})

async function measure(load: Load, pid = service.pid) {
  const before = cpuSecondsOf(pid)
  const { perSecond, requests } = await sendLoad(load)
  return { perSecond, cpuMicroseconds: ((cpuSecondsOf(pid) - before) * 1e6) / requests }
}

/** Compares the API with a bare relay that reads the same file. */
async function compareWithRelay(what: string, name: string) {
  const storage = storageOf(service.env)
  const { origin, host } = new URL(storage.endpoint)
  const path = `/${storage.mediaBucket}/${fixture.keyOf(name)}`
  const headers = await signatureHeaders({ method: 'GET', host, path }, storage)
  const port = String(await freePort())
  using relay = await startBareServer('bare-relay.ts', [origin, port, JSON.stringify({ [path]: headers })])
  const sides = {
    relay: { load: loadOf([path], `http://127.0.0.1:${port}`), pid: relay.pid },
    api: { load: loadOf(fixture.tokens.map((token) => fixture.pathOf(token, name))), pid: service.pid },
  }
  const results = await alternate(['relay', 'api'], Number(values.rounds), (side) =>
    measure(sides[side].load, sides[side].pid),
  )
  const of = (side: keyof typeof sides, figure: 'perSecond' | 'cpuMicroseconds') =>
    median(results[side].map((result) => result[figure]))
  const ratio = median(results.api.map(({ perSecond }, round) => perSecond / (results.relay[round]?.perSecond ?? 0)))
  return {
    ratio,
    row: {
      what,
      'relay/s': Math.round(of('relay', 'perSecond')),
      'API/s': Math.round(of('api', 'perSecond')),
      'throughput ratio': ratio.toFixed(2),
      "relay's CPU µs": Math.round(of('relay', 'cpuMicroseconds')),
      "API's CPU µs": Math.round(of('api', 'cpuMicroseconds')),
    },
  }
}

async function compareChecks(what: string, name: string) {
  const loads = {
    unchecked: loadOf([fixture.pathOf('open', name)]),
    checked: loadOf(fixture.tokens.map((token) => fixture.pathOf(token, name))),
  }
  const results = await alternate(['unchecked', 'checked'], Number(values.rounds), (side) => measure(loads[side]))
  const of = (side: keyof typeof loads, figure: 'perSecond' | 'cpuMicroseconds') =>
    median(results[side].map((result) => result[figure]))
  const [unchecked, checked] = [of('unchecked', 'perSecond'), of('checked', 'perSecond')]
  const uncheckedCpu = of('unchecked', 'cpuMicroseconds')
  const checkedCpu = of('checked', 'cpuMicroseconds')
  return { what, unchecked, checked, ratio: checked / unchecked, uncheckedCpu, checkedCpu }
}

const relayed = [
  await compareWithRelay('media file of 64 KiB', fixture.mediaFiles[2] ?? ''),
  await compareWithRelay('media file of 1 MiB', fixture.mediaFiles.at(-1) ?? ''),
]
printTable(relayed.map(({ row }) => row))
process.stdout.write('\n')

const rows = [
  await compareChecks('media file of 64 KiB, from storage', fixture.mediaFiles[2] ?? ''),
  await compareChecks('playlist, from memory', '240p.m3u8'),
]
printTable(
  rows.map((row) => ({
    what: row.what,
    'unchecked/s': Math.round(row.unchecked),
    'checked/s': Math.round(row.checked),
    'throughput ratio': row.ratio.toFixed(2),
    "unchecked API's CPU µs": Math.round(row.uncheckedCpu),
    "checked API's CPU µs": Math.round(row.checkedCpu),
    'CPU ratio': (row.uncheckedCpu / row.checkedCpu).toFixed(2),
  })),
)

await using edge = await startEdge(service.baseUrl)
const watched = [...fixture.playlists, ...fixture.mediaFiles]
const start = performance.now()
await inFlight(fixture.tokens, CONCURRENT_VIEWERS, async (token) => {
  for (const name of watched) {
    const answer = await fetch(edge.baseUrl + fixture.pathOf(token, name))
    if (!answer.ok) throw new Error(`${answer.status} for ${name}`)
    await answer.arrayBuffer()
  }
})
const seconds = (performance.now() - start) / 1000
const cacheResults = edge.log
  .split('\n')
  .filter((line) => line.includes('/play/'))
  .map((line) => line.split(' ').at(-1) ?? '')
const hits = cacheResults.filter((result) => result === 'HIT').length
const hitRatio = hits / (fixture.tokens.length * watched.length)
process.stdout.write('\n')
printTable([
  {
    viewers: fixture.tokens.length,
    'fetches each': watched.length,
    'from the edge': hits,
    'fetched from the API': cacheResults.filter((result) => result === 'MISS').length,
    'never cached (entry documents)': cacheResults.filter((result) => result === '-').length,
    'hit ratio': `${(hitRatio * 100).toFixed(2)} %`,
    'fetches/s': Math.round(cacheResults.length / seconds),
  },
])
process.stdout.write(
  `\nGoals: at least ${RELAY_RATIO_MIN} of a bare relay, authorized at least ${RATIO_MIN} of open, ${CONNECTIONS} connections, medians of ${values.rounds} rounds of ${values.seconds} s; ` +
    `hit ratio over ${HIT_RATIO_MIN * 100} %, ${CONCURRENT_VIEWERS} viewers at a time.\n`,
)
if (Number(values.rounds) >= ROUNDS_TO_CHECK)
  checkGoals([
    ...relayed.map(({ row, ratio }) => ({ name: `${row.what}, relayed`, value: ratio, min: RELAY_RATIO_MIN })),
    ...rows.map(({ what, ratio }) => ({ name: what, value: ratio, min: RATIO_MIN })),
  ])
if (hitRatio <= HIT_RATIO_MIN) process.exitCode = 1
