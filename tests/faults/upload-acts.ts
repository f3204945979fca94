/** What a client does with a session, and what it knows afterwards. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { uploadSessions } from '@reelkeep/contract'
import type { Caller } from '@reelkeep/testkit'
import { atOnce, type Pace, postForm } from './form-post.ts'
import type { UploadAct } from './schedule.ts'
import { LIFETIME_SECONDS } from './service.ts'

/** An upload as its client remembers it. */
export type Remembered = {
  readonly way: UploadAct['way']
  readonly uuid: string
  readonly assetId: string
  /** The file that storage acknowledged first; undefined when it acknowledged none. */
  readonly acknowledged: Buffer | undefined
  /** Files that may be stored although no answer came. */
  readonly uncertain: readonly Buffer[]
  readonly isCancelled: boolean
}

type Session = uploadSessions.NewUploadSession

/** Ends after the session has expired, and before it closes. */
const slowly: Pace = { pieces: 10, pauseMilliseconds: (LIFETIME_SECONDS * 1000 + 1500) / 10 }
const cutOff: Pace = { pieces: 4, pauseMilliseconds: 20, cutAfter: 2 }

export async function act(caller: Caller, { way, bytes, afterMilliseconds }: UploadAct) {
  await sleep(afterMilliseconds)
  const { body: session } = await caller.post<Session>(
    'assets/upload-sessions/',
    { title: way, resolutions: ['360p'] },
    { 'idempotency-key': crypto.randomUUID() },
  )
  const upload = new Upload(caller, session, way)
  await waysToUpload[way](upload, bytes)
  return upload.remembered()
}

const waysToUpload: Record<UploadAct['way'], (upload: Upload, bytes: number) => Promise<void>> = {
  'by form': (upload, bytes) => upload.post(bytes),
  // Storage judges the expiry when the first 4 MB have arrived, so a small one must begin large.
  'by form, slowly': (upload) => upload.post(12_000_000, slowly),
  'by form, twice': async (upload, bytes) => {
    await upload.post(bytes)
    await upload.post(bytes + 1)
  },
  'by form, cut off, then again': async (upload, bytes) => {
    await upload.post(bytes, cutOff)
    await upload.post(bytes)
  },
  'in parts': (upload, bytes) => upload.sendParts(bytes),
  'by form, with a hint': async (upload, bytes) => {
    await upload.post(bytes)
    await upload.complete()
  },
  cancelled: (upload) => upload.cancel(),
  never: async () => {},
}

class Upload {
  readonly #caller: Caller
  readonly #session: Session
  readonly #way: UploadAct['way']
  #acknowledged: Buffer | undefined
  readonly #uncertain: Buffer[] = []
  #isCancelled = false

  constructor(caller: Caller, session: Session, way: UploadAct['way']) {
    this.#caller = caller
    this.#session = session
    this.#way = way
  }

  async post(bytes: number, pace: Pace = atOnce): Promise<void> {
    const file = randomBytes(bytes)
    const status = await postForm(this.#session.client_payload, file, pace)
    if (status === undefined) this.#uncertain.push(file)
    if (status !== undefined && status < 300) this.#acknowledged ??= file
  }

  async sendParts(bytes: number): Promise<void> {
    const file = randomBytes(bytes)
    const wish = { file_size_bytes: bytes, numbers: [1] }
    const { status, body } = await this.#ask<{ parts: { url: string }[] }>('parts/', wish)
    const [part] = status === 200 ? body.parts : []
    if (!part) return
    const sent = await fetch(part.url, { method: 'PUT', body: new Uint8Array(file) }).catch(
      () => null,
    )
    if (!sent?.ok) return
    // Joining is what storage acknowledges; it happens on the way to this answer, or not at all.
    const completed = await this.complete()
    if (completed === 200) this.#acknowledged ??= file
    else this.#uncertain.push(file)
  }

  async complete(): Promise<number> {
    return (await this.#ask('complete/')).status
  }

  async cancel(): Promise<void> {
    const { status } = await this.#caller.delete(this.#path(''))
    this.#isCancelled = status === 204
  }

  remembered(): Remembered {
    return {
      way: this.#way,
      uuid: this.#session.upload_session.uuid,
      assetId: this.#session.asset.id,
      acknowledged: this.#acknowledged,
      uncertain: this.#uncertain,
      isCancelled: this.#isCancelled,
    }
  }

  #ask<Body>(path: string, body?: unknown) {
    return this.#caller.post<Body>(this.#path(path), body)
  }

  #path(rest: string): string {
    return `assets/upload-sessions/${this.#session.upload_session.uuid}/${rest}`
  }
}
