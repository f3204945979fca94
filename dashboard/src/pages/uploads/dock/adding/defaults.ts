/** Options of uploads, remembered per organization. */
import type { UploadInput } from 'reelkeep'
import type { Organization } from '../../../../app/organization/organization-type.ts'

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

/** Undefined before the first upload. */
function rememberedDefaults(organization: string): UploadDefaults | undefined {
  try {
    const text = localStorage.getItem(keyOf(organization))
    if (text === null) return undefined
    const stored = JSON.parse(text) as Partial<UploadDefaults>
    const resolutions = allResolutions.filter((one) => stored.resolutions?.includes(one))
    return { ...first, ...stored, resolutions: resolutions.length > 0 ? resolutions : first.resolutions }
  } catch {
    return undefined
  }
}

/** Options of the last upload; before the first one, those of the organization. */
export function readDefaults({ id, membership }: Organization): UploadDefaults {
  const { default_resolutions: resolutions, default_content_protection_type: protection } = membership
  return rememberedDefaults(id) ?? { ...first, resolutions: resolutions ?? first.resolutions, protection }
}

export const saveDefaults = (organization: string, defaults: UploadDefaults): void =>
  localStorage.setItem(keyOf(organization), JSON.stringify(defaults))

export const inputOf = ({ resolutions, protection, hasSubtitles }: UploadDefaults): UploadInput => ({
  resolutions: [...resolutions],
  content_protection_type: protection,
  generate_subtitle: hasSubtitles,
})
