/** An authenticator in software: one passkey (ES256) that verifies its user. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

const USER_PRESENT_AND_VERIFIED = 0x05
const WITH_CREDENTIAL = 0x40

type Changes = {
  readonly origin?: string
  readonly host?: string
  readonly counter?: number
  readonly flags?: number
  readonly isForged?: boolean
}

export class SoftwarePasskey {
  readonly id = randomBytes(32)
  readonly #origin: string
  readonly #privateKey: KeyObject
  readonly #publicKey: Buffer
  #counter = 0

  constructor(origin: string) {
    this.#origin = origin
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#privateKey = privateKey
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    // COSE: key type EC2, algorithm ES256, curve P-256, x, y.
    this.#publicKey = Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
      cborBytes(Buffer.from(x, 'base64url')),
      Buffer.from([0x22]),
      cborBytes(Buffer.from(y, 'base64url')),
    ])
  }

  /** The response to the options of a registration, as JSON. */
  create(challenge: string): object {
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.id.length)
    const credential = Buffer.concat([Buffer.alloc(16), length, this.id, this.#publicKey])
    const flags = USER_PRESENT_AND_VERIFIED | WITH_CREDENTIAL
    const authData = Buffer.concat([this.#header({ flags, counter: 0 }), credential])
    const attestation = Buffer.concat([
      ...[Buffer.from([0xa3]), cborText('fmt'), cborText('none'), cborText('attStmt'), Buffer.from([0xa0])],
      ...[cborText('authData'), cborBytes(authData)],
    ])
    return this.#response({
      clientDataJSON: this.#clientData('webauthn.create', challenge, this.#origin).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    })
  }

  /** The response to the options of a sign-in, as JSON. */
  sign(challenge: string, changes: Changes = {}): object {
    const clientData = this.#clientData('webauthn.get', challenge, changes.origin ?? this.#origin)
    const header = this.#header({ counter: ++this.#counter, ...changes })
    const signed = Buffer.concat([header, createHash('sha256').update(clientData).digest()])
    const signature = sign('sha256', changes.isForged ? Buffer.from('other') : signed, this.#privateKey)
    return this.#response({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: header.toString('base64url'),
      signature: signature.toString('base64url'),
    })
  }

  #response(response: object): object {
    const id = this.id.toString('base64url')
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }

  #clientData(type: string, challenge: string, origin: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  }

  #header({ flags = USER_PRESENT_AND_VERIFIED, counter = 0, host = new URL(this.#origin).hostname }: Changes): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([createHash('sha256').update(host).digest(), Buffer.from([flags]), count])
  }
}

const cborText = (text: string) => Buffer.concat([Buffer.from([0x60 | text.length]), Buffer.from(text)])

/** A byte string of 24 to 65,535 bytes. */
function cborBytes(bytes: Buffer): Buffer {
  const head = bytes.length < 256 ? [0x58, bytes.length] : [0x59, bytes.length >> 8, bytes.length & 0xff]
  return Buffer.concat([Buffer.from(head), bytes])
}
