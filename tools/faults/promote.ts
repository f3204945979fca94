/**
 * `pnpm faults promote`: promotes a standby of Postgres under load, once with synchronous and once with asynchronous
 * replication. Clients create folders, upload videos, read the event log and follow the event stream all the time; two
 * workers encode the videos.
 *
 * With synchronous replication no acknowledged folder may be lost. With asynchronous replication the standby gets no
 * changes for some seconds before the promotion, and exactly the folders that it lacked may be lost. In both cases both
 * readers must see every event of the new log, every video of the new primary must be processed, and all published
 * files must have the checksums in the database. Prints the seconds in which writes were refused.
 *
 *   --seconds N   seconds of load before and after the promotion (10)
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import {
  ApiProcess,
  type Caller,
  newCaller,
  OwnPostgres,
  runStack,
  type StackEnv,
  setUpUploads,
  startStack,
  WorkerProcess,
} from '@reelkeep/testkit'
import { EventFollower } from './promote/event-follower.ts'
import { allEvents, readUntilStopped } from './promote/event-reader.ts'
import { checkVideos, uploadVideos } from './promote/promoted-videos.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '10' } } })
const LOAD_MILLISECONDS = Number(values.seconds) * 1000
const WRITERS = 8
const print = (line: string) => process.stdout.write(`${line}\n`)

const storage = await startStack('ceph')
await setUpUploads(storage)
let violations = 0
for (const mode of ['sync', 'async'] as const) violations += await promoteUnderLoad(mode)
await runStack('wipe')
process.exitCode = violations > 0 ? 1 : 0

/** Settings with the databases of one stack and the storage of another. */
function withStorage(env: StackEnv): StackEnv {
  const { DATABASE_URL, DATABASE_WORKER_URL, DATABASE_OWNER_URL, DATABASE_SUPERUSER_URL } = env
  return { ...storage, DATABASE_URL, DATABASE_WORKER_URL, DATABASE_OWNER_URL, DATABASE_SUPERUSER_URL }
}

async function promoteUnderLoad(mode: 'sync' | 'async'): Promise<number> {
  await using postgres = await OwnPostgres.start('failover')
  const env = withStorage(await postgres.startStandby(mode))
  await using api = await ApiProcess.start({ DATABASE_CONNECTIONS_MAX: '8', RATE_LIMIT_PER_MINUTE: '10000000' }, env)
  await using _first = await WorkerProcess.start({ env })
  await using _second = await WorkerProcess.start({ env })
  const caller = await newCaller(api.send, env)
  const stopping = new AbortController()
  const writers = Array.from({ length: WRITERS }, () => write(caller, stopping.signal))
  const uploads = uploadVideos(caller, stopping.signal)
  const reader = readUntilStopped(caller, stopping.signal)
  const follower = new EventFollower(api, caller)
  await sleep(LOAD_MILLISECONDS)
  if (mode === 'async') await postgres.detachStandby()
  if (mode === 'async') await sleep(LOAD_MILLISECONDS / 3)
  await using standby = await postgres.openStandby()
  const survivors = mode === 'async' ? await uuidsIn(standby) : undefined
  const startedAt = performance.now()
  await postgres.promote()
  const promotedAt = performance.now()
  await sleep(LOAD_MILLISECONDS)
  stopping.abort()
  const written = (await Promise.all(writers)).flat()
  await uploads
  const { seen, restarts } = await reader
  const present = await uuidsIn(standby)
  const lost = written.filter(({ uuid }) => !present.has(uuid))
  // The old primary still accepts folders until the promotion kills it.
  const unexpected = lost.filter(({ uuid, at }) => at > promotedAt || !survivors || survivors.has(uuid))
  const events = await allEvents(caller)
  const missed = [...events.difference(seen), ...(await follower.stop(events))]
  const videos = await checkVideos(caller, standby, env)
  const refusedSeconds = longestPause(written.map(({ at }) => at).filter((at) => at > startedAt)) / 1000
  print(
    `${mode}: ${written.length} folders acknowledged, ${lost.length} lost, ${unexpected.length} of them wrongly; ` +
      `${missed.length} events missed, reader restarted ${restarts} times, stream ${follower.restarts} times; ` +
      `${videos.completed} videos completed, ${videos.violations.length} violations; ` +
      `promotion ${((promotedAt - startedAt) / 1000).toFixed(1)} s, writes refused for ${refusedSeconds.toFixed(1)} s`,
  )
  for (const violation of videos.violations) print(`  ${violation}`)
  const provesNothing = refusedSeconds === 0 || videos.completed === 0 || (mode === 'async' && lost.length === 0)
  if (provesNothing) print(`${mode}: the promotion did not disturb the load, so the run proves nothing`)
  return provesNothing || unexpected.length + missed.length + videos.violations.length > 0 ? 1 : 0
}

/** The longest time between two responses; 0 if there are fewer than two. */
function longestPause(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other)
  return Math.max(0, ...sorted.slice(1).map((time, index) => time - (sorted[index] ?? time)))
}

type Written = { readonly uuid: string; readonly at: number }

/** Creates folders until stopped. Returns the acknowledged ones with the time of the response. */
async function write(caller: Caller, stopping: AbortSignal): Promise<Written[]> {
  const written: Written[] = []
  while (!stopping.aborted) {
    const { status, body } = await caller.post<{ uuid: string }>('assets/folders/', { title: 'x' })
    if (status === 201) written.push({ uuid: body.uuid, at: performance.now() })
    else if (status === 503) await sleep(100)
    else throw new Error(`The API returned ${status}: ${JSON.stringify(body)}`)
  }
  return written
}

async function uuidsIn(server: { query<Row extends object>(text: string): Promise<Row[]> }): Promise<Set<string>> {
  return new Set((await server.query<{ uuid: string }>('select uuid from folders')).map(({ uuid }) => uuid))
}
