/**
 * `pnpm faults cli-upload`: uploads a file of 2 GiB with the real command over a connection that is cut three times;
 * then once more, with Ctrl-C in the middle and the command run again. The transferred parts are counted, and the
 * stored files are compared with the original.
 */
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { ApiProcess, newOrganization, openOwner, setUpUploads } from '@reelkeep/testkit'
import { printTable } from '../bench/support/table.ts'
import { ownStack } from './support/own-stack.ts'
import { Chance } from './support/random.ts'
import { openStorage } from './support/storage.ts'
import { BreakingLine } from './uploads/breaking-proxy.ts'
import { writeKeyStream } from './uploads/key-stream-file.ts'
import { faultsOf, figuresOf, type Judged } from './uploads/upload-assertions.ts'
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
/** A cut lasts one second and up to this many more; small files are for a quick run. */
const CUT_SECONDS_MORE = fileBytes < 1024 ** 3 ? 1 : 5
const say = (line: string) => process.stdout.write(`${line}\n`)

await using stack = await ownStack()
const { env } = stack
await using apiLine = await BreakingLine.open(() => api.baseUrl)
await using storageLine = await BreakingLine.open(() => env.STORAGE_ENDPOINT)
const settings = {
  STORAGE_UPLOADS_BUCKET: BUCKET,
  STORAGE_PUBLIC_ENDPOINT: storageLine.url,
  PUBLIC_URL: apiLine.url,
}
await setUpUploads(env, settings)
await using api = await ApiProcess.start(settings, env)
await using owner = openOwner(env)
const { organizationId, token } = await newOrganization(owner)

const folder = await mkdtemp(join(tmpdir(), 'reelkeep-cli-upload-'))
const file = join(folder, 'film.mp4')
const user = {
  REELKEEP_URL: apiLine.url,
  REELKEEP_ORGANIZATION: organizationId,
  REELKEEP_TOKEN: token,
  XDG_STATE_HOME: folder,
  XDG_CONFIG_HOME: folder,
}
try {
  const digest = await writeKeyStream(file, fileBytes, Number(values.seed))
  say(`file of ${fileBytes.toLocaleString('en')} bytes, seed ${values.seed}`)
  const acts = [await cutThreeTimes(), await interruptAndGoOn()]
  printTable(acts.map(rowOf))
  const faults = [
    ...acts.flatMap(({ name, judged, faults: own }) =>
      [...own, ...faultsOf(judged)].map((fault) => `${name}: ${fault}`),
    ),
    ...(await differing(digest, acts.length)),
  ]
  for (const fault of faults) say(`FAULT: ${fault}`)
  say(faults.length === 0 ? 'all passed' : `${faults.length} faults`)
  process.exitCode = faults.length === 0 ? 0 : 1
} finally {
  await rm(folder, { recursive: true })
}

type Act = {
  readonly name: string
  readonly seconds: number
  readonly judged: Judged
  readonly faults: readonly string[]
}

/** In a terminal, because its progress bar must not go backwards. */
async function cutThreeTimes(): Promise<Act> {
  const began = performance.now()
  const tries = storageLine.tries.length
  const moments = Array.from({ length: CUTS }, () => 0.05 + 0.9 * chance.fraction()).toSorted()
  const cutting = cutAt(moments)
  const run = UploadRun.inTerminal(file, user)
  const { exitCode, output, percents } = await run.ended(file)
  const { cuts } = cutting
  storageLine.onSent = () => {}
  return {
    name: `connection cut at ${moments.map(percentText).join(', ')}`,
    seconds: (performance.now() - began) / 1000,
    judged: { fileBytes, tries: storageLine.tries.slice(tries), shown: [percents], breaks: CUTS },
    faults: [
      ...(exitCode === 0 ? [] : [`exit code ${exitCode}: ${output.slice(-500)}`]),
      ...(cuts() === CUTS ? [] : [`the connection was cut only ${cuts()} times`]),
    ],
  }
}

/** Cuts both connections at once when these fractions of the file have been sent. */
function cutAt(moments: readonly number[]) {
  const left = [...moments]
  let [cuts, isAway] = [0, false]
  const base = sentBytes()
  const cut = async () => {
    const seconds = 1 + CUT_SECONDS_MORE * chance.fraction()
    isAway = true
    await Promise.all([apiLine.cut(seconds), storageLine.cut(seconds)])
    isAway = false
    cuts++
  }
  storageLine.onSent = () => {
    const [next] = left
    if (isAway || next === undefined || sentBytes() - base < next * fileBytes) return
    left.shift()
    void cut()
  }
  return { cuts: () => cuts }
}

function sentBytes(): number {
  return storageLine.tries.reduce((sum, one) => sum + one.sentBytes, 0)
}

/** Without a terminal. The second command sends only the missing parts. */
async function interruptAndGoOn(): Promise<Act> {
  const began = performance.now()
  const first = storageLine.tries.length
  const moment = 0.3 + 0.4 * chance.fraction()
  const base = sentBytes()
  const run = UploadRun.inLog(file, user)
  storageLine.onSent = () => {
    if (sentBytes() - base < moment * fileBytes) return
    storageLine.onSent = () => {}
    run.child.kill('SIGINT')
  }
  const interrupted = await run.ended(file)
  const before = storageLine.tries.slice(first)
  for (const one of before) if (!one.isTaken) one.lostByCut = 1
  const again = await UploadRun.inLog(file, user).ended(file)
  return {
    name: `Ctrl-C at ${percentText(moment)}, then run again`,
    seconds: (performance.now() - began) / 1000,
    judged: {
      fileBytes,
      tries: storageLine.tries.slice(first),
      shown: [interrupted.percents, again.percents],
      breaks: 1,
    },
    faults: [
      ...(interrupted.exitCode === 130 ? [] : [`exit code ${interrupted.exitCode} after Ctrl-C`]),
      ...(interrupted.output.includes('Run the same command again')
        ? []
        : ['does not print how to resume']),
      ...(/resuming at [1-9]\d* %/.test(again.output) ? [] : ['did not resume']),
      ...(again.exitCode === 0 ? [] : [`exit code ${again.exitCode}: ${again.output}`]),
    ],
  }
}

/** Reads back every stored file. */
async function differing(digest: string, count: number): Promise<string[]> {
  using storage = openStorage(env)
  const list = await storage.client.send(new ListObjectsV2Command({ Bucket: BUCKET }))
  const keys = (list.Contents ?? []).map(({ Key }) => Key)
  const faults = keys.length === count ? [] : [`storage has ${keys.length} files, not ${count}`]
  for (const Key of keys) {
    const { Body } = await storage.client.send(new GetObjectCommand({ Bucket: BUCKET, Key }))
    const hash = createHash('sha256')
    for await (const chunk of Body as AsyncIterable<Buffer>) hash.update(chunk)
    if (hash.digest('hex') !== digest) faults.push(`${Key} differs from the file`)
  }
  return faults
}

function rowOf({ name, seconds, judged }: Act) {
  const figures = figuresOf(judged)
  const mebibytes = (bytes: number) => (bytes / 1024 ** 2).toFixed(1)
  return {
    what: name,
    seconds: seconds.toFixed(0),
    'file, MiB': mebibytes(fileBytes),
    'sent, MiB': mebibytes(figures.sentBytes),
    'again, MiB': mebibytes(figures.againBytes),
    'allowed, MiB': mebibytes(figures.againBytesMax),
    parts: figures.parts,
    'sent again': figures.partsSentAgain,
    'attempts at a part, at most': figures.triesOfOnePartMax,
    'progress seen': judged.shown.flat().length,
  }
}

function percentText(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}
