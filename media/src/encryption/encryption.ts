/** How the segments of a video are encrypted: by Common Encryption, the same file for every key system. */

/**
 * `cbcs` is what every device of today reads, Apple's included: one block in ten of a picture, by
 * CBC, always from the same vector. `cenc` is for devices from before: all of it, by CTR, with a
 * counter of its own for every sample.
 */
export type EncryptionScheme = 'cbcs' | 'cenc'

export type EncryptionKey = {
  /** What it encrypts. All renditions of the picture have one key: whoever may watch may watch all sizes. */
  readonly label: 'video' | 'audio'
  /** 16 bytes each. */
  readonly kid: Buffer
  readonly key: Buffer
  /** The constant vector of `cbcs`; of no use to `cenc`, whose vectors are drawn for each part. */
  readonly iv: Buffer
}

export type Encryption = {
  readonly scheme: EncryptionScheme
  readonly keys: readonly EncryptionKey[]
  /** Whole `pssh` boxes, for the header of every track. */
  readonly pssh: readonly Buffer[]
}

export function keyFor({ keys }: Encryption, track: string): EncryptionKey {
  const label = track === 'audio' ? 'audio' : 'video'
  const key = keys.find((one) => one.label === label)
  if (!key) throw new Error(`There is no key for ${label}`)
  return key
}

/** What a program said, without the keys that it was given. */
export const withoutKeys = ({ keys }: Encryption, text: string): string =>
  keys.reduce(
    (left, { key }) => left.replace(new RegExp(key.toString('hex'), 'gi'), '[a key]'),
    text,
  )
