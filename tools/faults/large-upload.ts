/**
 * `pnpm faults large-upload`: uploads a file of 6 GiB in parts, cut off twice, each time resumed by a client that only
 * knows the session, then completed, read back and compared. The memory of the service is measured during the upload.
 */
import { createCipheriv, createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import type { uploadSessions } from '@reelkeep/contract'
import {
  ApiProcess,
  Caller,
  newOrganization,
  openOwner,
  setUpUploads,
  WorkerProcess,
} from '@reelkeep/testkit'
import { ownStack } from './support/own-stack.ts'
import { openStorage } from './support/storage.ts'

const { values } = parseArgs({ options: { gibibytes: { type: 'string', default: '6' } } })
const MEBIBYTE = 1024 ** 2
const fileBytes = Math.round(Number(values.gibibytes) * 1024 ** 3)
const BUCKET = 'large-uploads'
const AT_ONCE = 4
const say = (line: string) => process.stdout.write(`${line}\n`)

await using stack = await ownStack()
const { env } = stack
const settings = { STORAGE_UPLOADS_BUCKET: BUCKET }
await setUpUploads(env, settings)
await using api = await ApiProcess.start(settings, env)
await using worker = await WorkerProcess.start({ settings, env })
await using owner = openOwner(env)
const { organizationId, token } = await newOrganization(owner)
const caller = new Caller(api.send, organizationId, token)

const memory = watchMemory({ api: api.child.pid ?? 0, worker: worker.child.pid ?? 0 })
const created = await caller.post<uploadSessions.NewUploadSession>('assets/upload-sessions/', {
  title: 'Large',
  resolutions: ['720p'],
  file_size_bytes: fileBytes,
})
const session = `assets/upload-sessions/${created.body.upload_session.uuid}/`
say(`session for ${fileBytes.toLocaleString('en')} bytes: ${created.status}`)

const began = performance.now()
let sent = 0
for (const stopAt of [1 / 3, 2 / 3, 1]) {
  const { partsSent, bytesSent, had } = await sendUntil(stopAt)
  sent += bytesSent
  const what = stopAt < 1 ? 'cut off' : 'all sent'
  say(`${had} parts had arrived, ${partsSent} sent, then ${what} (${seconds()})`)
}
const completed = await caller.post<uploadSessions.UploadSessionDetails>(`${session}complete/`)
say(`complete/: ${completed.status} ${completed.body.status} (${seconds()})`)
say(`bytes sent again because of the cuts: ${(sent - fileBytes).toLocaleString('en')}`)
const isSame = (await storedDigest()) === fileDigest()
say(`stored file equals the original: ${isSame ? 'yes' : 'NO'} (${seconds()})`)
for (const line of memory.report()) say(line)
process.exitCode = completed.body.status === 'Completed' && isSame ? 0 : 1

function seconds(): string {
  return `${((performance.now() - began) / 1000).toFixed(0)} s`
}

/** Asks which parts have arrived, sends the missing ones, and cuts every connection when the share is reached. */
async function sendUntil(share: number) {
  const line = new AbortController()
  const arrived = await caller.get<{ parts: { number: number }[] }>(`${session}parts/`)
  const there = new Set(
    arrived.status === 200 ? arrived.body.parts.map(({ number }) => number) : [],
  )
  const plan = await signedParts([1])
  const missing = Array.from({ length: plan.part_count }, (_, index) => index + 1)
    .filter((number) => !there.has(number))
    .values()
  const stopAfter = Math.floor(plan.part_count * share) - there.size
  let [partsSent, bytesSent] = [0, 0]
  const send = async () => {
    for (const number of missing) {
      const { parts } = await signedParts([number])
      const [part] = parts
      if (!part || line.signal.aborted) return
      bytesSent += part.bytes
      const body = partOf(number, plan.part_size_bytes, part.bytes)
      const { signal } = line
      const answer = await fetch(part.url, { method: 'PUT', body, signal }).catch(() => undefined)
      if (answer?.ok) partsSent++
      if (share < 1 && partsSent >= stopAfter) line.abort()
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, send))
  return { partsSent, bytesSent, had: there.size }
}

async function signedParts(numbers: readonly number[]) {
  const wish = { file_size_bytes: fileBytes, numbers }
  type Signed = {
    part_count: number
    part_size_bytes: number
    parts: { url: string; bytes: number }[]
  }
  const { body } = await caller.post<Signed>(`${session}parts/`, wish)
  return body
}

/** The file is a key stream: any part of it can be generated at any time, and no two are alike. */
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
  for (let made = 0; made < fileBytes; made += MEBIBYTE) {
    hash.update(cipher.update(zeros.subarray(0, Math.min(MEBIBYTE, fileBytes - made))))
  }
  return hash.digest('hex')
}

async function storedDigest(): Promise<string> {
  using storage = openStorage(env)
  const { key } = created.body.client_payload
  const { Body } = await storage.client.send(new GetObjectCommand({ Bucket: BUCKET, Key: key }))
  const hash = createHash('sha256')
  for await (const chunk of Body as AsyncIterable<Buffer>) hash.update(chunk)
  return hash.digest('hex')
}

/** Samples resident memory twice a second; returns first, maximum and last. */
function watchMemory(pids: Record<string, number>) {
  const seen = new Map<string, number[]>(Object.keys(pids).map((name) => [name, []]))
  const look = () => {
    for (const [name, pid] of Object.entries(pids)) seen.get(name)?.push(residentMebibytes(pid))
  }
  look()
  const timer = setInterval(look, 500)
  return {
    report() {
      clearInterval(timer)
      look()
      return [...seen].map(([name, sizes]) => {
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
