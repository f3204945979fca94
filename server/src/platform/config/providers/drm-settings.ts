import { z } from 'zod'
import { httpUrl, seconds, splitList } from '../fields.ts'

const licenseSystems = ['com.widevine.alpha', 'com.microsoft.playready', 'com.apple.fps'] as const
type LicenseUrls = Partial<Record<(typeof licenseSystems)[number], string>>

/** DRM settings of the API, which serves videos. */
export const drmSettings = {
  /** `clearkey`: our own keys and licenses, without a DRM system. `speke`: a DRM provider. `none`: no DRM videos. */
  DRM_PROVIDER: z.enum(['clearkey', 'speke', 'none']).default('clearkey'),
  /** License servers by key system: `com.widevine.alpha=https://…`, separated by commas. */
  DRM_LICENSE_URLS: z
    .string()
    .default('')
    .transform((text, context): LicenseUrls => {
      const pairs = splitList(text).map((pair) => pair.split(/=(.*)/s, 2))
      const isRight = pairs.every(
        ([system, url = '']) =>
          licenseSystems.some((name) => name === system) && /^https?:/.test(URL.parse(url)?.protocol ?? ''),
      )
      if (isRight) return Object.fromEntries(pairs) as LicenseUrls
      const message = `must be system=URL, separated by commas; a system is one of ${licenseSystems.join(', ')}`
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }),
}

const systemNames = ['widevine', 'playready', 'fairplay'] as const

const areSystems = (names: string[]): names is (typeof systemNames)[number][] =>
  names.length > 0 && names.every((name) => systemNames.some((system) => system === name))

/** DRM settings of workers, which encrypt videos. */
export const keyProviderSettings = {
  /** `cbcs` for current devices, `cenc` for devices from before about 2016. Applies to new videos only. */
  DRM_SCHEME: z.enum(['cbcs', 'cenc']).default('cbcs'),
  /** Endpoint of the DRM provider. */
  SPEKE_URL: httpUrl.optional(),
  SPEKE_USERNAME: z.string().min(1).max(1000).optional(),
  SPEKE_PASSWORD: z.string().min(1).max(1000).optional(),
  /** Header for DRM providers with another authentication: `x-api-key: …`, `Authorization: Bearer …`. */
  SPEKE_HEADER: z
    .string()
    .max(8000)
    .regex(/^[A-Za-z0-9-]{1,100}:[ \t]*[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, 'must be name: value')
    .optional(),
  /** DRM systems to signal in manifests. */
  SPEKE_SYSTEMS: z
    .string()
    .default('widevine,playready,fairplay')
    .transform((text) => [...new Set(splitList(text))])
    .refine(areSystems, `must be some of ${systemNames.join(', ')}, separated by commas`),
  SPEKE_TIMEOUT_SECONDS: seconds(120).default(20),
}

type ProviderSettings = {
  readonly DRM_PROVIDER: string
  readonly SPEKE_URL?: string | undefined
}

export const hasSpekeUrl = ({ DRM_PROVIDER, SPEKE_URL }: ProviderSettings) =>
  DRM_PROVIDER !== 'speke' || SPEKE_URL !== undefined

export const spekeUrlError = { path: ['SPEKE_URL'], message: 'is required with DRM_PROVIDER=speke' }
