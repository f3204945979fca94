/** Options of uploads, remembered per organization. */
import type { UploadInput } from 'reelkeep'

type Resolution = NonNullable<UploadInput['resolutions']>[number]
type Protection = 'disable' | 'aes' | 'drm'

export type UploadDefaults = {
  readonly resolutions: readonly Resolution[]
  readonly protection: Protection
  readonly hasSubtitles: boolean
  /** Folder of the last upload; null for the root. */
  readonly folder: string | null
}

export const allResolutions: readonly Resolution[] = ['240p', '360p', '480p', '540p', '720p', '1080p']
const first: UploadDefaults = {
  resolutions: ['360p', '720p', '1080p'],
  protection: 'disable',
  hasSubtitles: false,
  folder: null,
}

const keyOf = (organization: string) => `reelkeep.uploads.${organization}`

export function readDefaults(organization: string): UploadDefaults {
  try {
    const stored = JSON.parse(localStorage.getItem(keyOf(organization)) ?? '{}') as Partial<UploadDefaults>
    const resolutions = allResolutions.filter((one) => stored.resolutions?.includes(one))
    return { ...first, ...stored, resolutions: resolutions.length > 0 ? resolutions : first.resolutions }
  } catch {
    return first
  }
}

export const saveDefaults = (organization: string, defaults: UploadDefaults): void =>
  localStorage.setItem(keyOf(organization), JSON.stringify(defaults))

export const inputOf = ({ resolutions, protection, hasSubtitles }: UploadDefaults): UploadInput => ({
  resolutions: [...resolutions],
  content_protection_type: protection,
  generate_subtitle: hasSubtitles,
})
