/** Properties of the new asset, from the options of the command. */
import { ApiError, type CreateUploadSessionBody } from 'reelkeep'
import type { Resolution } from '../../arguments/values.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'

type Protection = NonNullable<CreateUploadSessionBody['content_protection_type']>

export type UploadSettings = Pick<
  CreateUploadSessionBody,
  'resolutions' | 'content_protection_type' | 'generate_subtitle' | 'description' | 'tags' | 'external_id' | 'metadata'
>

/** For organizations without default resolutions: for phones, a browser window and full screen. */
const defaultResolutions: readonly Resolution[] = ['360p', '720p', '1080p']

export const resolutionsHelp = `Resolutions to encode (default: the organization's setting, or ${defaultResolutions.join(',')}); videos are never upscaled`

const protections: Record<string, Protection> = { none: 'disable', aes: 'aes', drm: 'drm' }

export const protectionNames = Object.keys(protections)

/** The value of the API for a name of `--protect`. */
export const protectionOf = (name: string | undefined) => (name === undefined ? undefined : protections[name])

export function toUploadSettings(options: {
  readonly resolutions?: readonly Resolution[]
  readonly protect?: string
  readonly subtitles?: boolean
  readonly description?: string
  readonly tag?: readonly string[]
  readonly externalId?: string
  readonly metadata?: Readonly<Record<string, string | null>>
}): UploadSettings {
  const protection = protectionOf(options.protect)
  return {
    ...(options.resolutions && { resolutions: named(options.resolutions) }),
    ...(protection && { content_protection_type: protection }),
    ...(options.subtitles && { generate_subtitle: true }),
    ...(options.description !== undefined && { description: options.description }),
    ...(options.tag && { tags: [...options.tag] }),
    ...(options.externalId !== undefined && { external_id: options.externalId }),
    ...(options.metadata && { metadata: withoutEmpty(options.metadata) }),
  }
}

/** A new asset has no keys to remove. */
const withoutEmpty = (pairs: Readonly<Record<string, string | null>>) =>
  Object.fromEntries(Object.entries(pairs).map(([key, value]) => [key, value ?? '']))

/** Removes duplicates. */
function named(resolutions: readonly Resolution[]): Resolution[] {
  if (resolutions.length === 0) throw new CommandError('--resolutions must not be empty.', exitCodes.usage)
  return [...new Set(resolutions)]
}

/**
 * Creates an upload session. If the options name no resolutions, the organization's default applies; if it has none,
 * the service refuses the session, and it is created again with the default of the CLI.
 */
export async function withResolutions<Settings extends UploadSettings, Result>(
  settings: Settings,
  create: (settings: Settings) => Promise<Result>,
): Promise<Result> {
  try {
    return await create(settings)
  } catch (error) {
    if (settings.resolutions || !isWithoutResolutions(error)) throw error
    return create({ ...settings, resolutions: [...defaultResolutions] })
  }
}

const isWithoutResolutions = (error: unknown) =>
  error instanceof ApiError && error.errors.some(({ field }) => field === 'resolutions')
