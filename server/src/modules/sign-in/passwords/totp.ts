/** One-time codes of authenticator apps (RFC 6238): six digits, SHA-1, steps of 30 seconds. All apps support these. */
import { createHmac, randomBytes } from 'node:crypto'
import { isSecret } from '../../../platform/crypto/is-secret.ts'

const STEP_SECONDS = 30
const SECRET_BYTES = 20
/** Codes of the previous and the next step are accepted, because clocks differ and typing takes time. */
const STEPS_AROUND = [0, -1, 1]

const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export const newTotpSecret = (): string => toBase32(randomBytes(SECRET_BYTES))

/** The secret as a URI for a QR code. */
export function totpUri(secret: string, { account, issuer }: { account: string; issuer: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`
}

/** Returns the time step whose code was given; undefined if the code is wrong. */
export function stepOfCode(secret: Buffer, code: string, nowMs: number): number | undefined {
  const now = Math.floor(nowMs / 1000 / STEP_SECONDS)
  return STEPS_AROUND.map((offset) => now + offset).find((step) => isSecret(code, codeOfStep(secret, step)))
}

export function codeOfStep(secret: Buffer, step: number): string {
  const message = Buffer.alloc(8)
  message.writeBigUInt64BE(BigInt(step))
  const hash = createHmac('sha1', secret).update(message).digest()
  const offset = hash.readUInt8(hash.length - 1) & 0x0f
  return String((hash.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

/** Decodes a secret of 20 bytes. Undefined if it has another form. */
export function fromBase32(text: string): Buffer | undefined {
  if (!/^[A-Z2-7]{32}$/.test(text)) return undefined
  const bits = [...text].map((letter) => base32.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [])
}

function toBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{5}/g) ?? []).map((five) => base32.charAt(Number.parseInt(five, 2))).join('')
}
