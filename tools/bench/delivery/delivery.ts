/**
 * `pnpm bench delivery`: measures the cost of serving and authorizing viewers.
 *
 * First, the API alone serves media files of two sizes, alternately with a bare relay: `node:http` and undici, without
 * authorization or verification. Next, the edge serves them with its cache bypassed, alternately with nginx in front of
 * storage. Then the API serves the same media files and playlists, alternately without authorization (`open`) and with
 * two hundred different tokens. Then two hundred viewers with their own tokens watch one video from beginning to end
 * through the edge of deploy/nginx. Everything runs on this machine.
 */
import { parseArgs } from 'node:util'
import { RequestSigner } from '@reelkeep/server/platform/storage/reading/signature.ts'
import { freePort, Nginx, setUpUploads, startEdge, startStack, storageOf } from '@reelkeep/testkit'
import { alternate } from '../support/alternate.ts'
import { openBenchService } from '../support/bench-service.ts'
import { startBareServer } from '../support/compare.ts'
import { cpuSecondsOf, cpuSecondsOfChildren } from '../support/cpu-time.ts'
import { checkGoals, ROUNDS_TO_CHECK } from '../support/goals.ts'
import { inFlight } from '../support/in-flight.ts'
import { type Load, sendLoad } from '../support/load.ts'
import { median, printTable } from '../support/table.ts'
import { openDelivery } from './delivery-fixture.ts'

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
/** Minimum throughput of the edge for files that it does not have, relative to nginx that only reads from storage. */
const MISS_RATIO_MIN = 0.85

await setUpUploads(await startStack())
await using service = await openBenchService('bench_delivery')
const fixture = await openDelivery(service, Number(values.viewers))

const cpuSecondsOfApi = () => cpuSecondsOf(service.pid)

const loadOf = (paths: readonly string[], url = service.baseUrl): Load => ({
  ...{ method: 'GET', url, headers: {}, body: {}, paths },
  ...{ seconds: Number(values.seconds), connections: CONNECTIONS },
})

async function measure(load: Load, cpuSeconds = cpuSecondsOfApi) {
  const before = { server: cpuSeconds(), postgres: cpuSecondsOfChildren(service.postmaster) }
  const { perSecond, requests } = await sendLoad(load)
  const perRequest = (seconds: number) => (seconds * 1e6) / requests
  return {
    perSecond,
    cpuMicroseconds: perRequest(cpuSeconds() - before.server),
    postgresMicroseconds: perRequest(cpuSecondsOfChildren(service.postmaster) - before.postgres),
  }
}

type Server = { readonly baseUrl: string; readonly cpuSeconds: () => number }
type Pair = { readonly baseline: Server; readonly ours: Server }

/** Compares how both serve a file: ours with two hundred tokens, the baseline with its path in storage. */
async function compareWith(pair: Pair, { what, name }: { readonly what: string; readonly name: string }) {
  const { path } = stored(name)
  const loads = {
    baseline: loadOf([path], pair.baseline.baseUrl),
    ours: loadOf(
      fixture.tokens.map((token) => fixture.pathOf(token, name)),
      pair.ours.baseUrl,
    ),
  }
  const results = await alternate(['baseline', 'ours'], Number(values.rounds), (side) =>
    measure(loads[side], pair[side].cpuSeconds),
  )
  const of = (side: keyof typeof loads, figure: keyof Awaited<ReturnType<typeof measure>>) =>
    Math.round(median(results[side].map((result) => result[figure])))
  const ratios = results.ours.map(({ perSecond }, round) => perSecond / (results.baseline[round]?.perSecond ?? 0))
  const ratio = median(ratios)
  return {
    ratio,
    row: {
      what,
      'baseline/s': of('baseline', 'perSecond'),
      'ours/s': of('ours', 'perSecond'),
      'throughput ratio': ratio.toFixed(2),
      "baseline's CPU µs": of('baseline', 'cpuMicroseconds'),
      "API's CPU µs": of('ours', 'cpuMicroseconds'),
      "Postgres' CPU µs": of('ours', 'postgresMicroseconds'),
    },
  }
}

const storage = storageOf(service.env)
const { origin: storageOrigin, host: storageHost } = new URL(storage.endpoint)

/** The path of a file in storage, and headers that sign a request for it, for 15 minutes. */
function stored(name: string) {
  const path = `/${storage.mediaBucket}/${fixture.keyOf(name)}`
  return { path, sign: () => new RequestSigner(storage).headers({ method: 'GET', host: storageHost, path }) }
}

async function inSequence<Item, Result>(items: readonly Item[], act: (item: Item) => Promise<Result>) {
  const results: Result[] = []
  for (const item of items) results.push(await act(item))
  return results
}

const files = [
  { what: 'media file of 64 KiB', name: fixture.mediaFiles[2] ?? '' },
  { what: 'media file of 1 MiB', name: fixture.mediaFiles.at(-1) ?? '' },
]

/** Compares the API with a bare relay. */
async function compareWithRelay(file: (typeof files)[number]) {
  const { path, sign } = stored(file.name)
  const port = String(await freePort())
  const program = [storageOrigin, port, JSON.stringify({ [path]: await sign() })]
  using relay = await startBareServer('bare-relay.ts', program)
  const baseline = { baseUrl: `http://127.0.0.1:${port}`, cpuSeconds: () => cpuSecondsOf(relay.pid) }
  return await compareWith({ baseline, ours: { baseUrl: service.baseUrl, cpuSeconds: cpuSecondsOfApi } }, file)
}

const proxyConf = (port: number, headers: Record<string, string>) => `
upstream storage { server ${storageHost}; keepalive 64; }
server {
  listen 127.0.0.1:${port};
  access_log off;
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  proxy_set_header Host ${storageHost};
${Object.entries(headers)
  .map(([name, value]) => `  proxy_set_header ${name} "${value}";`)
  .join('\n')}
  location / { proxy_pass http://storage; }
}
`

/** Compares the edge, whose cache is bypassed, with nginx that only passes on requests to storage. */
async function compareWithProxy(file: (typeof files)[number]) {
  const signed = await stored(file.name).sign()
  await using edge = await startEdge(service.baseUrl, { isCacheBypassed: true })
  await using proxy = await Nginx.start((_, port) => proxyConf(port, signed))
  const baseline = { baseUrl: proxy.baseUrl, cpuSeconds: () => cpuSecondsOfChildren(proxy.pid) }
  return await compareWith({ baseline, ours: { baseUrl: edge.baseUrl, cpuSeconds: cpuSecondsOfApi } }, file)
}

async function compareChecks(what: string, pathOf: (token: string) => string) {
  const loads = {
    unchecked: loadOf([pathOf('open')]),
    checked: loadOf(fixture.tokens.map(pathOf)),
  }
  const results = await alternate(['unchecked', 'checked'], Number(values.rounds), (side) => measure(loads[side]))
  const of = (side: keyof typeof loads, figure: 'perSecond' | 'cpuMicroseconds') =>
    median(results[side].map((result) => result[figure]))
  const [unchecked, checked] = [of('unchecked', 'perSecond'), of('checked', 'perSecond')]
  const uncheckedCpu = of('unchecked', 'cpuMicroseconds')
  const checkedCpu = of('checked', 'cpuMicroseconds')
  return { what, unchecked, checked, ratio: checked / unchecked, uncheckedCpu, checkedCpu }
}

const relayed = await inSequence(files, compareWithRelay)
process.stdout.write('Without nginx, against a bare relay:\n')
printTable(relayed.map(({ row }) => row))
const missed = await inSequence(files, compareWithProxy)
process.stdout.write('\nMisses of the edge, against nginx alone:\n')
printTable(missed.map(({ row }) => row))
process.stdout.write('\n')

const rows = [
  await compareChecks('media file of 64 KiB, from storage', (token) =>
    fixture.pathOf(token, fixture.mediaFiles[2] ?? ''),
  ),
  await compareChecks('playlist, from memory', (token) => fixture.pathOf(token, '240p.m3u8')),
]
const authorization = await compareChecks('authorization for an edge', fixture.accessPathOf)
printTable(
  [...rows, authorization].map((row) => ({
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
  `\nGoals: at least ${RELAY_RATIO_MIN} of a bare relay and ${MISS_RATIO_MIN} of nginx, authorized at least ${RATIO_MIN} of open, ${CONNECTIONS} connections, medians of ${values.rounds} rounds of ${values.seconds} s; ` +
    `hit ratio over ${HIT_RATIO_MIN * 100} %, ${CONCURRENT_VIEWERS} viewers at a time.\n`,
)
if (Number(values.rounds) >= ROUNDS_TO_CHECK)
  checkGoals([
    ...relayed.map(({ row, ratio }) => ({ name: `${row.what}, relayed`, value: ratio, min: RELAY_RATIO_MIN })),
    ...missed.map(({ row, ratio }) => ({ name: `${row.what}, missed`, value: ratio, min: MISS_RATIO_MIN })),
    ...rows.map(({ what, ratio }) => ({ name: what, value: ratio, min: RATIO_MIN })),
  ])
if (hitRatio <= HIT_RATIO_MIN) process.exitCode = 1
