/** Common Encryption of segments. All key systems use the same files. */

/**
 * `cbcs` is supported by all current devices, including Apple's: AES-CBC of one block in ten, with
 * a constant IV. `cenc` is for older devices: AES-CTR of everything, with an IV per sample.
 */
export type EncryptionScheme = 'cbcs' | 'cenc'

export type EncryptionKey = {
  /** The tracks that the key encrypts. All video rungs share one key, because viewers may watch all sizes. */
  readonly label: 'video' | 'audio'
  /** The key id and the key have 16 bytes each. */
  readonly kid: Buffer
  readonly key: Buffer
  /** Constant IV of `cbcs`. Unused by `cenc`, whose IVs are derived per part. */
  readonly iv: Buffer
}

export type Encryption = {
  readonly scheme: EncryptionScheme
  readonly keys: readonly EncryptionKey[]
  /** Complete `pssh` boxes for the header of every track. */
  readonly pssh: readonly Buffer[]
}

export function keyFor({ keys }: Encryption, track: string): EncryptionKey {
  const label = track === 'audio' ? 'audio' : 'video'
  const key = keys.find((candidate) => candidate.label === label)
  if (!key) throw new Error(`no key for ${label}`)
  return key
}

/** Redacts the keys in a program's output. */
export const redactKeys = ({ keys }: Encryption, text: string): string =>
  keys.reduce((redacted, { key }) => redacted.replace(new RegExp(key.toString('hex'), 'gi'), '[key]'), text)
