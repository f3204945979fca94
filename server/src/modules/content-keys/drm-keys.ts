import type { Derive } from './derivation.ts'

/** Video and audio have separate keys, because license rules can differ. */
const drmLabels = ['video', 'audio'] as const

export type DrmLabel = (typeof drmLabels)[number]

export type DrmKey = {
  readonly label: DrmLabel
  readonly kid: Buffer
  readonly key: Buffer
  /** Initialization vector. It is constant, because all parts of a track share one init segment. */
  readonly iv: Buffer
}

/** Keys for common encryption. */
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
