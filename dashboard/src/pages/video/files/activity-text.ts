import { useLingui } from '@lingui/react/macro'

/** Entries whose name says everything that their details say. */
const plain = new Set([
  ...[
    'created',
    'processing_started',
    'playable',
    'completed',
    'cancelled',
    'retried',
    'deleted',
    'restored',
    'untrimmed',
  ],
])

export const hasDetails = (what: string) => !plain.has(what)

/** Returns a function that names an entry of the timeline in the user's language; undefined for unknown entries. */
export function useActivityText(): (what: string) => string | undefined {
  const { t } = useLingui()
  return (what) => {
    const texts: Record<string, () => string> = {
      created: () => t`Created`,
      uploaded: () => t`File uploaded`,
      processing_started: () => t`Processing started`,
      probed: () => t`File checked`,
      planned: () => t`Qualities chosen`,
      divided_up: () => t`Each quality is encoded separately`,
      playable: () => t`Can be played`,
      pictures_chosen: () => t`Thumbnails created`,
      completed: () => t`Processing completed`,
      cancelled: () => t`Processing cancelled`,
      retried: () => t`Processing requested again`,
      attempt_failed: () => t`A step failed and is retried`,
      taken_over: () => t`Continued by another worker`,
      given_up: () => t`A step was skipped after several attempts`,
      renamed: () => t`Renamed`,
      moved: () => t`Moved`,
      updated: () => t`Details changed`,
      cover_changed: () => t`Cover changed`,
      cover_failed: () => t`The cover could not be changed`,
      chapters_imported: () => t`Chapters imported from the file`,
      subtitles_generated: () => t`Captions generated`,
      subtitles_not_generated: () => t`No captions were generated`,
      subtitles_extracted: () => t`Captions imported from the file`,
      subtitles_not_extracted: () => t`The captions of the file could not be read`,
      version_activated: () => t`Active version changed`,
      clipped: () => t`Created as a clip`,
      trimmed: () => t`Trimmed`,
      untrimmed: () => t`Trim undone`,
      deleted: () => t`Moved to the trash`,
      restored: () => t`Restored from the trash`,
    }
    return texts[what]?.()
  }
}
