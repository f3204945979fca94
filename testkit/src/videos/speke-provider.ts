/**
 * A key provider that follows the public SPEKE 2.0 specification: it refuses invalid requests with 422 and the
 * specified messages, and fills in the requested keys. Its keys are random and its licenses are worthless.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type SpekeResponse = {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

const WIDEVINE = 'edef8ba9-79d6-4ace-a3c8-27dcd51d21ed'
const PLAYREADY = '9a04f079-9840-4286-ab92-e65be0885f95'

export class SpekeProvider implements AsyncDisposable {
  static readonly username = 'tenant'
  static readonly password = 'secret'

  readonly requests: { readonly headers: IncomingMessage['headers']; readonly body: string }[] = []
  /** Changes a response before it is sent; if it returns undefined, no response is sent. */
  change: (answer: SpekeResponse) => SpekeResponse | undefined = (answer) => answer
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
      void provider.#handle(request).then((answer) => {
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

  async #handle(request: IncomingMessage): Promise<SpekeResponse | undefined> {
    const { headers } = request
    const body = await text(request)
    this.requests.push({ headers, body })
    return this.change(this.#answer(headers, body))
  }

  #answer(headers: IncomingMessage['headers'], body: string): SpekeResponse {
    const plain = { 'Content-Type': 'text/plain' }
    const credentials = `${SpekeProvider.username}:${SpekeProvider.password}`
    if (headers.authorization !== `Basic ${Buffer.from(credentials).toString('base64')}`)
      return { status: 401, headers: plain, body: 'Unauthorized' }
    const error = errorOf(headers, body)
    if (error) return { status: 422, headers: plain, body: error }
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
      (_, kid: string, system: string, elements: string) =>
        `<cpix:DRMSystem kid="${kid}" systemId="${system}">${filled(elements, kid, system)}</cpix:DRMSystem>`,
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

/** Returns the error message that the specification requires; undefined if the request is valid. */
function errorOf(headers: IncomingMessage['headers'], body: string): string | undefined {
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
  const hasRule = (kid = '') => body.includes(`<cpix:ContentKeyUsageRule kid="${kid}" intendedTrackType="`)
  return keys.every(([, kid]) => hasRule(kid)) ? undefined : 'Missing ContentKeyUsageRule'
}

/** Fills in the empty elements of a DRM system. */
function filled(elements: string, kid: string, system: string): string {
  const box = psshOf(system, Buffer.from(kid)).toString('base64')
  const data = `data:text/plain;base64,${box}`
  const [format, uri] = {
    [WIDEVINE]: [`urn:uuid:${WIDEVINE}`, data],
    [PLAYREADY]: ['com.microsoft.playready', data],
  }[system] ?? ['com.apple.streamingkeydelivery', `skd://${kid}`]
  const key = `METHOD=SAMPLE-AES,URI="${uri}",KEYFORMAT="${format}",KEYFORMATVERSIONS="1"`
  const pro = '<pro xmlns="urn:microsoft:playready">bW9jaw==</pro>'
  const pssh = `<pssh xmlns="urn:mpeg:cenc:2013">${box}</pssh>${system === PLAYREADY ? pro : ''}`
  const fill = (text: string, name: string, attributes: string, content: string) =>
    text.replace(`<cpix:${name}${attributes}/>`, `<cpix:${name}${attributes}>${content}</cpix:${name}>`)
  const inBase64 = (text: string) => Buffer.from(text).toString('base64')
  const signaling = (text: string, playlist: string, tag: string) =>
    fill(text, 'HLSSignalingData', ` playlist="${playlist}"`, inBase64(`${tag}:${key}`))
  const boxes = fill(fill(elements, 'PSSH', '', box), 'ContentProtectionData', '', inBase64(pssh))
  const media = signaling(boxes, 'media', '#EXT-X-KEY')
  return signaling(media, 'multivariant', '#EXT-X-SESSION-KEY')
}

function psshOf(system: string, content: Buffer): Buffer {
  const head = Buffer.concat([Buffer.from('pssh'), Buffer.alloc(4), Buffer.from(system.replaceAll('-', ''), 'hex')])
  const box = Buffer.alloc(4 + head.length + 4)
  box.writeUInt32BE(box.length + content.length)
  head.copy(box, 4)
  box.writeUInt32BE(content.length, box.length - 4)
  return Buffer.concat([box, content])
}
