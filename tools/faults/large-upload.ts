/**
 * `pnpm faults large-upload`: uploads a file of 6 GiB in parts. The upload is interrupted twice, and resumed each time
 * by a client that only has the id of the session. The stored file is compared with the original. Measures the memory
 * of the service during the upload.
 */
import { createCipheriv, createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import type { uploadSessions } from '@reelkeep/contract'
import { ApiProcess, newCaller, Objects, setUpUploads, WorkerProcess } from '@reelkeep/testkit'
import { ownStack } from './support/own-stack.ts'

const { values } = parseArgs({ options: { gibibytes: { type: 'string', default: '6' } } })
const MEBIBYTE = 1024 ** 2
const fileBytes = Math.round(Number(values.gibibytes) * 1024 ** 3)
const BUCKET = 'large-uploads'
const PARALLEL_PARTS = 4
const print = (line: string) => process.stdout.write(`${line}\n`)

await using stack = await ownStack()
const { env } = stack
const settings = { STORAGE_UPLOADS_BUCKET: BUCKET }
await setUpUploads(env, settings)
await using api = await ApiProcess.start(settings, env)
await using worker = await WorkerProcess.start({ settings, env })
const caller = await newCaller(api.send, env)

const memory = watchMemory({ api: api.child.pid ?? 0, worker: worker.child.pid ?? 0 })
const created = await caller.post<uploadSessions.NewUploadSession>('assets/upload-sessions/', {
  title: 'Large',
  resolutions: ['720p'],
  file_size_bytes: fileBytes,
})
const session = `assets/upload-sessions/${created.body.upload_session.uuid}/`
print(`session for ${fileBytes.toLocaleString('en')} bytes: ${created.status}`)

const start = performance.now()
let sent = 0
for (const stopAt of [1 / 3, 2 / 3, 1]) {
  const { partsSent, bytesSent, storedBefore } = await sendUntil(stopAt)
  sent += bytesSent
  const what = stopAt < 1 ? 'cut off' : 'all sent'
  print(`${storedBefore} parts had arrived, ${partsSent} sent, then ${what} (${seconds()})`)
}
const completed = await caller.post<uploadSessions.UploadSessionDetails>(`${session}complete/`)
print(`complete/: ${completed.status} ${completed.body.status} (${seconds()})`)
print(`bytes sent again because of the cuts: ${(sent - fileBytes).toLocaleString('en')}`)
const isSame = (await storedDigest()) === fileDigest()
print(`stored file equals the original: ${isSame ? 'yes' : 'NO'} (${seconds()})`)
for (const line of memory.report()) print(line)
process.exitCode = completed.body.status === 'Completed' && isSame ? 0 : 1

function seconds(): string {
  return `${((performance.now() - start) / 1000).toFixed(0)} s`
}

/**
 * Lists the uploaded parts and sends the missing ones. Closes all connections when the fraction `share` of the parts has
 * been sent.
 */
async function sendUntil(share: number) {
  const connection = new AbortController()
  const arrived = await caller.get<{ parts: { number: number }[] }>(`${session}parts/`)
  const stored = new Set(arrived.status === 200 ? arrived.body.parts.map(({ number }) => number) : [])
  const plan = await signedParts([1])
  const missing = Array.from({ length: plan.part_count }, (_, index) => index + 1)
    .filter((number) => !stored.has(number))
    .values()
  const stopAfter = Math.floor(plan.part_count * share) - stored.size
  let [partsSent, bytesSent] = [0, 0]
  const send = async () => {
    for (const number of missing) {
      const { parts } = await signedParts([number])
      const [part] = parts
      if (!part || connection.signal.aborted) return
      bytesSent += part.bytes
      const body = partOf(number, plan.part_size_bytes, part.bytes)
      const { signal } = connection
      const answer = await fetch(part.url, { method: 'PUT', body, signal }).catch(() => undefined)
      if (answer?.ok) partsSent++
      if (share < 1 && partsSent >= stopAfter) connection.abort()
    }
  }
  await Promise.all(Array.from({ length: PARALLEL_PARTS }, send))
  return { partsSent, bytesSent, storedBefore: stored.size }
}

async function signedParts(numbers: readonly number[]) {
  const request = { file_size_bytes: fileBytes, numbers }
  type Signed = {
    part_count: number
    part_size_bytes: number
    parts: { url: string; bytes: number }[]
  }
  const { body } = await caller.post<Signed>(`${session}parts/`, request)
  return body
}

/**
 * Generates a part of the file. The file is a key stream, so any part can be generated at any time, and no two parts
 * are alike.
 */
function partOf(number: number, partBytes: number, bytes: number): Uint8Array<ArrayBuffer> {
  const counter = Buffer.alloc(16)
  counter.writeBigUInt64BE(BigInt(((number - 1) * partBytes) / 16), 8)
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, 7), counter)
  return new Uint8Array(cipher.update(Buffer.alloc(bytes)))
}

function fileDigest(): string {
  const hash = createHash('sha256')
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, 7), Buffer.alloc(16))
  const zeros = Buffer.alloc(MEBIBYTE)
  for (let offset = 0; offset < fileBytes; offset += MEBIBYTE) {
    hash.update(cipher.update(zeros.subarray(0, Math.min(MEBIBYTE, fileBytes - offset))))
  }
  return hash.digest('hex')
}

async function storedDigest(): Promise<string> {
  using objects = new Objects(env, BUCKET)
  const { key } = created.body.client_payload
  const { Body } = await objects.client.send(new GetObjectCommand({ Bucket: BUCKET, Key: key }))
  const hash = createHash('sha256')
  for await (const chunk of Body as AsyncIterable<Buffer>) hash.update(chunk)
  return hash.digest('hex')
}

/** Samples the resident memory of the processes twice a second. Reports the first, the maximum and the last value. */
function watchMemory(pids: Record<string, number>) {
  const samples = new Map<string, number[]>(Object.keys(pids).map((name) => [name, []]))
  const sample = () => {
    for (const [name, pid] of Object.entries(pids)) samples.get(name)?.push(residentMebibytes(pid))
  }
  sample()
  const timer = setInterval(sample, 500)
  return {
    report() {
      clearInterval(timer)
      sample()
      return [...samples].map(([name, sizes]) => {
        const [first, last, most] = [sizes[0], sizes.at(-1), Math.max(...sizes)]
        return `memory of the ${name}: ${first} MiB at the start, ${most} at most, ${last} at the end`
      })
    },
  }
}

function residentMebibytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kibibytes) / 1024)
}
