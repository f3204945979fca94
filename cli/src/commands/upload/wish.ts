/** What is asked for beside the file, from the options of the command. */
import type { CreateUploadSessionBody } from 'reelkeep'
import type { Resolution } from '../../arguments/values.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'

type Protection = NonNullable<CreateUploadSessionBody['content_protection_type']>

export type Wish = Pick<
  CreateUploadSessionBody,
  'resolutions' | 'content_protection_type' | 'generate_subtitle'
>

/** For phones, for most windows, and for a whole screen. Nothing is scaled up, so small videos get fewer. */
export const usualResolutions: readonly Resolution[] = ['360p', '720p', '1080p']

const protections: Record<string, Protection> = { none: 'disable', aes: 'aes', drm: 'drm' }

export const protectionNames = Object.keys(protections)

export function wishFrom(options: {
  readonly resolutions?: readonly Resolution[]
  readonly protect?: string
  readonly subtitles?: boolean
}): Wish {
  const protection = options.protect === undefined ? undefined : protections[options.protect]
  return {
    resolutions: named(options.resolutions ?? usualResolutions),
    ...(protection && { content_protection_type: protection }),
    ...(options.subtitles && { generate_subtitle: true }),
  }
}

/** Each once, however often it was named. */
function named(resolutions: readonly Resolution[]): Resolution[] {
  if (resolutions.length === 0) throw new CommandError('--resolutions names none.', exitCodes.usage)
  return [...new Set(resolutions)]
}
