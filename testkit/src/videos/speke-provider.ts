/**
 * A key provider that follows the public SPEKE 2.0 specification: it refuses invalid requests with 422 and the
 * specified messages, and fills in the requested keys. Its keys are random and its licenses are worthless.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export type SpekeAnswer = {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

const WIDEVINE = 'edef8ba9-79d6-4ace-a3c8-27dcd51d21ed'
const PLAYREADY = '9a04f079-9840-4286-ab92-e65be0885f95'

export class SpekeProvider implements AsyncDisposable {
  static readonly username = 'tenant'
  static readonly password = 'secret'

  /** All received requests. */
  readonly requests: { readonly headers: IncomingMessage['headers']; readonly body: string }[] = []
  /** Changes an answer before it is sent; undefined sends none. */
  change: (answer: SpekeAnswer) => SpekeAnswer | undefined = (answer) => answer
  /** A new seed changes all keys. */
  seed = randomBytes(32)
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  static async open(): Promise<SpekeProvider> {
    const server = createServer()
    const provider = new SpekeProvider(server)
    server.on('request', (request, response) => {
      void provider.#take(request).then((answer) => {
        if (answer) response.writeHead(answer.status, answer.headers).end(answer.body)
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return provider
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/speke/v2.0/copyProtection`
  }

  async #take(request: IncomingMessage): Promise<SpekeAnswer | undefined> {
    const { headers } = request
    const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>)
    const body = Buffer.concat(chunks).toString('utf8')
    this.requests.push({ headers, body })
    return this.change(this.#answer(headers, body))
  }

  #answer(headers: IncomingMessage['headers'], body: string): SpekeAnswer {
    const words = `${SpekeProvider.username}:${SpekeProvider.password}`
    if (headers.authorization !== `Basic ${Buffer.from(words).toString('base64')}`) {
      return { status: 401, headers: { 'Content-Type': 'text/plain' }, body: 'Who are you?' }
    }
    const fault = faultOf(headers, body)
    if (fault) return { status: 422, headers: { 'Content-Type': 'text/plain' }, body: fault }
    return {
      status: 200,
      headers: {
        'Content-Type': 'application/xml',
        'X-Speke-Version': '2.0',
        'X-Speke-User-Agent': 'testkit/1',
      },
      body: this.#filled(body),
    }
  }

  #filled(body: string): string {
    const withKeys = body.replace(
      /<cpix:ContentKey kid="([^"]+)"([^>]*)\/>/g,
      (_, kid: string, more: string) =>
        `<cpix:ContentKey kid="${kid}"${more}><cpix:Data><pskc:Secret><pskc:PlainValue>${this.keyOf(kid).toString('base64')}</pskc:PlainValue></pskc:Secret></cpix:Data></cpix:ContentKey>`,
    )
    return withKeys.replace(
      /<cpix:DRMSystem kid="([^"]+)" systemId="([^"]+)">(.*?)<\/cpix:DRMSystem>/gs,
      (_, kid: string, system: string, gaps: string) =>
        `<cpix:DRMSystem kid="${kid}" systemId="${system}">${filled(gaps, kid, system)}</cpix:DRMSystem>`,
    )
  }

  keyOf(kid: string): Buffer {
    return createHmac('sha256', this.seed).update(kid).digest().subarray(0, 16)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await this.#server[Symbol.asyncDispose]()
  }
}

/** Error messages as specified. */
function faultOf(headers: IncomingMessage['headers'], body: string): string | undefined {
  if (headers['x-speke-version'] !== '2.0') return 'Unsupported SPEKE version'
  if (headers['content-type'] !== 'application/xml') return 'Unsupported Content-Type'
  const root = /<cpix:CPIX ([^>]*)>/.exec(body)?.[1] ?? ''
  if (!/\bcontentId="[^"]+"/.test(root)) return 'Missing CPIX@contentId'
  const version = /\bversion="([^"]*)"/.exec(root)?.[1]
  if (version === undefined) return 'Missing CPIX@version'
  if (version !== '2.3') return 'Unsupported CPIX@version'
  const keys = [...body.matchAll(/<cpix:ContentKey kid="([^"]+)"([^>]*)\/>/g)]
  const schemes = keys.map(([, , more]) => /commonEncryptionScheme="(\w{4})"/.exec(more ?? '')?.[1])
  const without = schemes.indexOf(undefined)
  if (without >= 0) return `Missing ContentKey@commonEncryptionScheme for KID ${keys[without]?.[1]}`
  if (new Set(schemes).size !== 1) {
    return 'Non compliant ContentKey@commonEncryptionScheme combination'
  }
  return rulesFault(
    body,
    keys.map(([, kid]) => kid ?? ''),
  )
}

/** Every key needs a usage rule for some track. */
const rulesFault = (body: string, kids: readonly string[]) =>
  kids.every((kid) => body.includes(`<cpix:ContentKeyUsageRule kid="${kid}" intendedTrackType="`))
    ? undefined
    : 'Missing ContentKeyUsageRule'

function filled(gaps: string, kid: string, system: string): string {
  const box = psshOf(system, Buffer.from(kid)).toString('base64')
  const format =
    system === WIDEVINE
      ? `urn:uuid:${WIDEVINE}`
      : system === PLAYREADY
        ? 'com.microsoft.playready'
        : 'com.apple.streamingkeydelivery'
  const line = `METHOD=SAMPLE-AES,URI="${system === WIDEVINE || system === PLAYREADY ? `data:text/plain;base64,${box}` : `skd://${kid}`}",KEYFORMAT="${format}",KEYFORMATVERSIONS="1"`
  const inBase64 = (text: string) => Buffer.from(text).toString('base64')
  const elements = `<pssh xmlns="urn:mpeg:cenc:2013">${box}</pssh>${system === PLAYREADY ? '<pro xmlns="urn:microsoft:playready">bW9jaw==</pro>' : ''}`
  return gaps
    .replace('<cpix:PSSH/>', `<cpix:PSSH>${box}</cpix:PSSH>`)
    .replace(
      '<cpix:ContentProtectionData/>',
      `<cpix:ContentProtectionData>${inBase64(elements)}</cpix:ContentProtectionData>`,
    )
    .replace(
      '<cpix:HLSSignalingData playlist="media"/>',
      `<cpix:HLSSignalingData playlist="media">${inBase64(`#EXT-X-KEY:${line}`)}</cpix:HLSSignalingData>`,
    )
    .replace(
      '<cpix:HLSSignalingData playlist="multivariant"/>',
      `<cpix:HLSSignalingData playlist="multivariant">${inBase64(`#EXT-X-SESSION-KEY:${line}`)}</cpix:HLSSignalingData>`,
    )
}

function psshOf(system: string, content: Buffer): Buffer {
  const head = Buffer.concat([
    Buffer.from('pssh'),
    Buffer.alloc(4),
    Buffer.from(system.replaceAll('-', ''), 'hex'),
  ])
  const box = Buffer.alloc(4 + head.length + 4)
  box.writeUInt32BE(box.length + content.length)
  head.copy(box, 4)
  box.writeUInt32BE(content.length, box.length - 4)
  return Buffer.concat([box, content])
}
