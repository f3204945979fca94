import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { request as requestTls } from 'node:https'
import { text } from 'node:stream/consumers'
import type { Form, StorageResponse } from './upload-form.ts'

const BOUNDARY = 'reelkeep-paced-post'

/** Posts the form in portions, as over a slow connection. The test decides when the rest is sent, if at all. */
export class PacedPost {
  readonly #request: ClientRequest
  readonly #answer: Promise<StorageResponse>
  #rest: Buffer

  constructor({ link, fields }: Form) {
    this.#rest = bodyOf(fields)
    const open = link.startsWith('https:') ? requestTls : request
    this.#request = open(link, {
      method: 'POST',
      headers: {
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        'content-length': this.#rest.length,
      },
    })
    this.#answer = answerTo(this.#request)
    // A test that cuts the connection does not await the response.
    this.#answer.catch(() => {})
  }

  /** Resolves when the bytes have left this process. */
  async send(bytes: number): Promise<void> {
    const chunk = this.#rest.subarray(0, bytes)
    this.#rest = this.#rest.subarray(bytes)
    await new Promise<void>((resolve, reject) => {
      this.#request.write(chunk, (error) => (error ? reject(error) : resolve()))
    })
  }

  /** Sends the rest of the file and resolves with the response. */
  async finish(): Promise<StorageResponse> {
    this.#request.end(this.#rest)
    return this.#answer
  }

  async disconnect(): Promise<void> {
    if (this.#request.closed) return
    const closed = new Promise((resolve) => this.#request.once('close', resolve))
    this.#request.destroy()
    await closed
  }
}

function bodyOf(fields: Form['fields']): Buffer {
  const parts = fields.flatMap(([name, value]) => {
    const filename = typeof value === 'string' ? '' : '; filename="video.mp4"'
    const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${filename}\r\n\r\n`
    return [Buffer.from(head), Buffer.from(value), Buffer.from('\r\n')]
  })
  return Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)])
}

async function answerTo(sent: ClientRequest): Promise<StorageResponse> {
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: answer.statusCode ?? 0, text: await text(answer) }
}
