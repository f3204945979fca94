/**
 * `pnpm faults cli-upload`: uploads a file of 2 GiB with the real command twice: first over a connection that is cut
 * three times, then with Ctrl-C in the middle, after which the same command resumes the upload. Counts the transferred
 * parts, and compares the stored files with the original.
 */
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { ApiProcess, HttpProxy, newCaller, Objects, setUpUploads } from '@reelkeep/testkit'
import { printTable } from '../bench/support/table.ts'
import { writeKeyStream } from './support/key-stream-file.ts'
import { ownStack } from './support/own-stack.ts'
import { Chance } from './support/random.ts'
import { PartRecorder } from './uploads/part-record.ts'
import { statisticsOf, type TransferRecord, violationsOf } from './uploads/upload-assertions.ts'
import { UploadRun } from './uploads/upload-run.ts'

const { values } = parseArgs({
  options: {
    gibibytes: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const fileBytes = Math.round(Number(values.gibibytes) * 1024 ** 3)
const chance = new Chance(Number(values.seed))
const BUCKET = 'cli-uploads'
const CUTS = 3
/** A cut lasts from one second to this many seconds more. It is short for small files, which are for a quick run. */
const CUT_SECONDS_MORE = fileBytes < 1024 ** 3 ? 1 : 5
const print = (line: string) => process.stdout.write(`${line}\n`)

await using stack = await ownStack()
const { env } = stack
await using apiProxy = await HttpProxy.open('http://127.0.0.1:1')
await using storageProxy = await HttpProxy.open(env.STORAGE_ENDPOINT)
const recorder = new PartRecorder()
storageProxy.rules = [recorder.rule]
const settings = {
  STORAGE_UPLOADS_BUCKET: BUCKET,
  STORAGE_PUBLIC_ENDPOINT: storageProxy.url,
  PUBLIC_URL: apiProxy.url,
}
await setUpUploads(env, settings)
await using api = await ApiProcess.start(settings, env)
apiProxy.target = api.baseUrl
const { organizationId, token } = await newCaller(api.send, env)

const folder = await mkdtemp(join(tmpdir(), 'reelkeep-cli-upload-'))
const file = join(folder, 'film.mp4')
const user = {
  REELKEEP_URL: apiProxy.url,
  REELKEEP_ORGANIZATION: organizationId,
  REELKEEP_TOKEN: token,
  XDG_STATE_HOME: folder,
  XDG_CONFIG_HOME: folder,
}
try {
  const digest = await writeKeyStream(file, fileBytes, Number(values.seed))
  print(`file of ${fileBytes.toLocaleString('en')} bytes, seed ${values.seed}`)
  const results = [await uploadWithCuts(), await interruptAndResume()]
  printTable(results.map(rowOf))
  const violations = [
    ...results.flatMap(({ name, record, violations: own }) =>
      [...own, ...violationsOf(record)].map((violation) => `${name}: ${violation}`),
    ),
    ...(await storageViolations(digest, results.length)),
  ]
  for (const violation of violations) print(`VIOLATION: ${violation}`)
  print(violations.length === 0 ? 'passed' : `${violations.length} violations`)
  process.exitCode = violations.length === 0 ? 0 : 1
} finally {
  await rm(folder, { recursive: true })
}

type Result = {
  readonly name: string
  readonly seconds: number
  readonly record: TransferRecord
  readonly violations: readonly string[]
}

/** Uploads the file while the connection is cut. Uses a terminal, because the progress bar must not go backwards. */
async function uploadWithCuts(): Promise<Result> {
  const start = performance.now()
  const first = recorder.attempts.length
  const moments = Array.from({ length: CUTS }, () => 0.05 + 0.9 * chance.fraction()).toSorted()
  const cutting = cutAt(moments)
  const run = UploadRun.inTerminal(file, user)
  const { exitCode, output, percents } = await run.result(file)
  const { cuts } = cutting
  recorder.onSent = () => {}
  return {
    name: `connection cut at ${moments.map(percentText).join(', ')}`,
    seconds: (performance.now() - start) / 1000,
    record: {
      fileBytes,
      attempts: recorder.attempts.slice(first),
      progress: [percents],
      cuts: CUTS,
    },
    violations: [
      ...(exitCode === 0 ? [] : [`exit code ${exitCode}: ${output.slice(-500)}`]),
      ...(cuts() === CUTS ? [] : [`the connection was cut only ${cuts()} times`]),
    ],
  }
}

/** Cuts the connections to the API and to storage when these fractions of the file have been sent. */
function cutAt(moments: readonly number[]) {
  const left = [...moments]
  let [cuts, isDisabled] = [0, false]
  const base = sentBytes()
  const cut = async () => {
    const seconds = 1 + CUT_SECONDS_MORE * chance.fraction()
    isDisabled = true
    recorder.recordCut()
    for (const proxy of [apiProxy, storageProxy]) proxy.disable()
    await sleep(seconds * 1000)
    for (const proxy of [apiProxy, storageProxy]) proxy.enable()
    isDisabled = false
    cuts++
  }
  recorder.onSent = () => {
    const [next] = left
    if (isDisabled || next === undefined || sentBytes() - base < next * fileBytes) return
    left.shift()
    void cut()
  }
  return { cuts: () => cuts }
}

function sentBytes(): number {
  return recorder.attempts.reduce((sum, { sentBytes: bytes }) => sum + bytes, 0)
}

/**
 * Interrupts an upload with Ctrl-C and runs the command again, which must send only the missing parts. Uses no
 * terminal.
 */
async function interruptAndResume(): Promise<Result> {
  const start = performance.now()
  const first = recorder.attempts.length
  const moment = 0.3 + 0.4 * chance.fraction()
  const base = sentBytes()
  const run = UploadRun.withoutTerminal(file, user)
  recorder.onSent = () => {
    if (sentBytes() - base < moment * fileBytes) return
    recorder.onSent = () => {}
    run.child.kill('SIGINT')
  }
  const interrupted = await run.result(file)
  for (const attempt of recorder.attempts.slice(first)) if (!attempt.isStored) attempt.lostByCut = 1
  const again = await UploadRun.withoutTerminal(file, user).result(file)
  return {
    name: `Ctrl-C at ${percentText(moment)}, then run again`,
    seconds: (performance.now() - start) / 1000,
    record: {
      fileBytes,
      attempts: recorder.attempts.slice(first),
      progress: [interrupted.percents, again.percents],
      cuts: 1,
    },
    violations: [
      ...(interrupted.exitCode === 130 ? [] : [`exit code ${interrupted.exitCode} after Ctrl-C`]),
      ...(interrupted.output.includes('Run the same command again') ? [] : ['does not print how to resume']),
      ...(/resuming at [1-9]\d* %/.test(again.output) ? [] : ['did not resume']),
      ...(again.exitCode === 0 ? [] : [`exit code ${again.exitCode}: ${again.output}`]),
    ],
  }
}

/** Reads every stored file, and compares it with the original. */
async function storageViolations(digest: string, count: number): Promise<string[]> {
  using objects = new Objects(env, BUCKET)
  const list = await objects.client.send(new ListObjectsV2Command({ Bucket: BUCKET }))
  const keys = (list.Contents ?? []).map(({ Key }) => Key)
  const violations = keys.length === count ? [] : [`storage has ${keys.length} files, not ${count}`]
  for (const Key of keys) {
    const { Body } = await objects.client.send(new GetObjectCommand({ Bucket: BUCKET, Key }))
    const hash = createHash('sha256')
    for await (const chunk of Body as AsyncIterable<Buffer>) hash.update(chunk)
    if (hash.digest('hex') !== digest) violations.push(`${Key} differs from the file`)
  }
  return violations
}

function rowOf({ name, seconds, record }: Result) {
  const statistics = statisticsOf(record)
  const mebibytes = (bytes: number) => (bytes / 1024 ** 2).toFixed(1)
  return {
    scenario: name,
    seconds: seconds.toFixed(0),
    'file, MiB': mebibytes(fileBytes),
    'sent, MiB': mebibytes(statistics.sentBytes),
    'again, MiB': mebibytes(statistics.repeatedBytes),
    'allowed, MiB': mebibytes(statistics.repeatedBytesMax),
    parts: statistics.parts,
    'sent again': statistics.repeatedParts,
    'attempts at a part, at most': statistics.attemptsPerPartMax,
    'progress values': record.progress.flat().length,
  }
}

function percentText(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}
