/** The actions of a client on an upload session, and the results that the client has received. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { uploadSessions } from '@reelkeep/contract'
import type { Caller } from '@reelkeep/testkit'
import { atOnce, type Pace, postForm } from './form-post.ts'

/** The results of an upload that the client has received. */
export type UploadRecord = {
  readonly scenario: Scenario
  readonly uuid: string
  readonly assetId: string
  readonly isAcknowledged: boolean
  /**
   * The file that storage acknowledged first, and earlier files whose response was lost. The service must keep one of
   * them.
   */
  readonly candidates: readonly Buffer[]
  readonly isCancelled: boolean
  readonly isDeleted: boolean
}

type Session = uploadSessions.NewUploadSession

/** Lifetime of a session, which is short so that sessions expire during a schedule. */
export const LIFETIME_SECONDS = 4

/** A slow upload, which ends after the session has expired and before it closes. */
const slowly: Pace = { chunks: 10, pauseMilliseconds: (LIFETIME_SECONDS * 1000 + 1500) / 10 }
const cutOff: Pace = { chunks: 4, pauseMilliseconds: 20, cutAfter: 2 }

export async function runUpload(
  caller: Caller,
  { scenario, bytes, afterMilliseconds }: PlannedUpload,
): Promise<UploadRecord> {
  await sleep(afterMilliseconds)
  const { body: session } = await caller.post<Session>(
    'assets/upload-sessions/',
    { title: scenario, resolutions: ['360p'] },
    { 'idempotency-key': crypto.randomUUID() },
  )
  const upload = new Upload(caller, session)
  await actions[scenario](upload, bytes)
  return { scenario, ...upload.record() }
}

const actions = {
  'by form': (upload, bytes) => upload.post(bytes),
  // Storage checks the expiry when the first 4 MB have arrived, so the file must be large.
  'by form, slowly': (upload) => upload.post(12_000_000, slowly),
  'by form, twice': async (upload, bytes) => {
    await upload.post(bytes)
    await upload.post(bytes + 1)
  },
  'by form, cut off, then again': async (upload, bytes) => {
    await upload.post(bytes, cutOff)
    await upload.post(bytes)
  },
  'in parts': async (upload, bytes) => {
    const file = await upload.sendParts(bytes)
    // Storage acknowledges the file when the parts are joined, which happens before complete/ responds or not at all.
    if (file) upload.recordResponse(file, (await upload.complete()) === 200 ? 200 : undefined)
  },
  // The client never completes this upload. The sweep joins the parts when no more parts can be sent.
  'in parts, never completed': async (upload, bytes) => {
    const file = await upload.sendParts(bytes)
    if (file) upload.recordResponse(file, 200)
  },
  'by form, then renewed and again': async (upload, bytes) => {
    await upload.post(bytes)
    await upload.renew()
    await upload.post(bytes + 1)
  },
  'by form, then cancelled': async (upload, bytes) => {
    await upload.post(bytes)
    await upload.cancel()
  },
  'by form, then deleted': async (upload, bytes) => {
    await upload.post(bytes)
    await upload.delete()
  },
  'by form, then completed': async (upload, bytes) => {
    await upload.post(bytes)
    await upload.complete()
  },
  cancelled: (upload) => upload.cancel(),
  never: async () => {},
} satisfies Record<string, (upload: Upload, bytes: number) => Promise<void>>

type Scenario = keyof typeof actions

export const scenarios = Object.keys(actions) as Scenario[]

export type PlannedUpload = {
  readonly scenario: Scenario
  readonly bytes: number
  readonly afterMilliseconds: number
}

class Upload {
  readonly #caller: Caller
  #session: Session
  readonly #candidates: Buffer[] = []
  #isAcknowledged = false
  #isCancelled = false
  #isDeleted = false

  constructor(caller: Caller, session: Session) {
    this.#caller = caller
    this.#session = session
  }

  async post(bytes: number, pace: Pace = atOnce): Promise<void> {
    const file = randomBytes(bytes)
    this.recordResponse(file, await postForm(this.#session.client_payload, file, pace))
  }

  /** Records the response of storage to a file; the status is undefined if the response was lost. */
  recordResponse(file: Buffer, status: number | undefined): void {
    if (this.#isAcknowledged || (status !== undefined && status >= 300)) return
    this.#candidates.push(file)
    this.#isAcknowledged = status !== undefined
  }

  /** Sends the file as one part. Returns the file, or undefined if it has not arrived. */
  async sendParts(bytes: number): Promise<Buffer | undefined> {
    const file = randomBytes(bytes)
    const request = { file_size_bytes: bytes, numbers: [1] }
    const { status, body } = await this.#post<{ parts: { url: string }[] }>('parts/', request)
    const [part] = status === 200 ? body.parts : []
    if (!part) return undefined
    const init = { method: 'PUT', body: new Uint8Array(file) }
    const sent = await fetch(part.url, init).catch(() => undefined)
    return sent?.ok ? file : undefined
  }

  async complete(): Promise<number> {
    return (await this.#post('complete/')).status
  }

  async renew(): Promise<void> {
    const { status, body } = await this.#post<Session>('renew/')
    if (status === 200) this.#session = body
  }

  async cancel(): Promise<void> {
    this.#isCancelled = (await this.#caller.delete(this.#path(''))).status === 204
  }

  async delete(): Promise<void> {
    const { status } = await this.#caller.delete(`assets/${this.#session.asset.id}/?permanently=true`)
    // A deletion that is repeated after a lost response gets 404.
    this.#isDeleted = status === 204 || status === 404
  }

  record(): Omit<UploadRecord, 'scenario'> {
    return {
      uuid: this.#session.upload_session.uuid,
      assetId: this.#session.asset.id,
      isAcknowledged: this.#isAcknowledged,
      candidates: this.#candidates,
      isCancelled: this.#isCancelled,
      isDeleted: this.#isDeleted,
    }
  }

  #post<Body>(path: string, body?: unknown) {
    return this.#caller.post<Body>(this.#path(path), body)
  }

  #path(rest: string): string {
    return `assets/upload-sessions/${this.#session.upload_session.uuid}/${rest}`
  }
}
