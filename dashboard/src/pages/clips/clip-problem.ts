import { useLingui } from '@lingui/react/macro'
import { problemOf } from '../../api/request.ts'
import { useProblemText } from '../../app/texts/problem-text.ts'

/** Returns a function that says in the user's language why a clip or a trim was refused. */
export function useClipProblem(): (error: unknown) => string {
  const { t } = useLingui()
  const problemText = useProblemText()
  return (error) => {
    const texts: Record<string, () => string> = {
      changed_meanwhile: () => t`Someone else has changed the video in the meantime. Check the part, then try again.`,
      clip_not_available: () => t`The video is still being processed. Try again when it is ready.`,
      range_outside_video: () => t`The part is not in the video. Check start and end.`,
      render_not_available: () =>
        t`This video cannot be rendered: it is protected by DRM, or was rendered itself. Make a clip instead.`,
      quota_exceeded: () =>
        t`The organization has reached its maximum number of videos. Delete a video, then try again.`,
      asset_not_found: () => t`The video was deleted in the meantime.`,
    }
    return texts[problemOf(error)?.code ?? '']?.() ?? problemText(error)
  }
}
