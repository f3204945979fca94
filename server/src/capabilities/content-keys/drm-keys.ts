import type { Derive } from './derivation.ts'

/** Pictures and sound have keys of their own: rights to them are given apart. */
const drmLabels = ['video', 'audio'] as const

export type DrmLabel = (typeof drmLabels)[number]

export type DrmKey = {
  readonly label: DrmLabel
  readonly kid: Buffer
  readonly key: Buffer
  /** Constant: the beginning of a track is the same in all of its parts. */
  readonly iv: Buffer
}

/** Common encryption, with keys that are held by nobody but us. */
export type DrmKeys = {
  readonly scheme: 'cbcs' | 'cenc'
  readonly keys: readonly DrmKey[]
  readonly pssh: readonly Buffer[]
}

const DRM_KEY_BYTES = 16

export const deriveDrmKeys = (derive: Derive): DrmKeys => ({
  scheme: 'cbcs',
  keys: drmLabels.map((label) => ({
    label,
    kid: derive(`kid/${label}`, DRM_KEY_BYTES),
    key: derive(`cenc/${label}`, DRM_KEY_BYTES),
    iv: derive(`cenc-iv/${label}`, DRM_KEY_BYTES),
  })),
  pssh: [],
})
