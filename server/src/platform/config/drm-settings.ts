import { z } from 'zod'
import { httpUrl, listed, seconds } from './fields.ts'

const licenceSystems = ['com.widevine.alpha', 'com.microsoft.playready', 'com.apple.fps'] as const
type LicenceUrls = Partial<Record<(typeof licenceSystems)[number], string>>

/** What whoever serves videos has to know. */
export const drmSettings = {
  /**
   * `clearkey`: keys and licences of our own, without anybody's DRM. `speke`: a provider with whom
   * there is a contract. `none`: no such videos.
   */
  DRM_PROVIDER: z.enum(['clearkey', 'speke', 'none']).default('clearkey'),
  /**
   * Where players get licences of the contracted systems: `com.widevine.alpha=https://…`, with
   * commas between several.
   */
  DRM_LICENCE_URLS: z
    .string()
    .default('')
    .transform((text, context): LicenceUrls => {
      const pairs = listed(text).map((pair) => pair.split(/=(.*)/s, 2))
      const isRight = pairs.every(
        ([system, url = '']) =>
          licenceSystems.some((name) => name === system) &&
          /^https?:/.test(URL.parse(url)?.protocol ?? ''),
      )
      if (isRight) return Object.fromEntries(pairs) as LicenceUrls
      const message = `must be system=address with commas between several; a system is one of ${licenceSystems.join(', ')}`
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }),
}

const systemNames = ['widevine', 'playready', 'fairplay'] as const

const areSystems = (names: string[]): names is (typeof systemNames)[number][] =>
  names.length > 0 && names.every((name) => systemNames.some((system) => system === name))

/** What whoever encodes them has to know as well. */
export const keyProviderSettings = {
  /** `cbcs` for every device of today, `cenc` for those from before 2016 or so. Of a video it never changes. */
  DRM_SCHEME: z.enum(['cbcs', 'cenc']).default('cbcs'),
  /** Where the provider takes requests. */
  SPEKE_URL: httpUrl.optional(),
  SPEKE_USERNAME: z.string().min(1).max(1000).optional(),
  SPEKE_PASSWORD: z.string().min(1).max(1000).optional(),
  /** For providers that want something else: `x-api-key: …`, `Authorization: Bearer …`. */
  SPEKE_HEADER: z
    .string()
    .max(8000)
    .regex(
      /^[A-Za-z0-9-]{1,100}:[ \t]*[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/,
      'must be name: value',
    )
    .optional(),
  /** What manifests are to be written for. */
  SPEKE_SYSTEMS: z
    .string()
    .default('widevine,playready,fairplay')
    .transform((text) => [...new Set(listed(text))])
    .refine(areSystems, `must be some of ${systemNames.join(', ')}, with commas between`),
  SPEKE_TIMEOUT_SECONDS: seconds(120).default(20),
}

type ProviderChoice = {
  readonly DRM_PROVIDER: string
  readonly SPEKE_URL?: string | undefined
}

export const hasSpekeUrl = ({ DRM_PROVIDER, SPEKE_URL }: ProviderChoice) =>
  DRM_PROVIDER !== 'speke' || SPEKE_URL !== undefined

export const spekeUrlFault = { path: ['SPEKE_URL'], message: 'is needed with DRM_PROVIDER=speke' }
