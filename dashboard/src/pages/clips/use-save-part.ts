import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useOrganization } from '../../app/organization/organization.tsx'
import { useToast } from '../../app/toasts.tsx'
import { useTimelineTools } from '../studio/studio-context.tsx'
import { useTrim } from '../video/clips/use-trim.ts'
import { useVideo } from '../video/video-context.tsx'
import { type Part, secondsOf } from './part.ts'

/** Creates the clip, or trims the video. */
export function useSavePart(kind: 'clip' | 'trim', onSaved: () => void) {
  const { t } = useLingui()
  const { id: organization, client } = useOrganization()
  const { asset } = useVideo()
  const { video } = useTimelineTools()
  const { set } = useTrim()
  const toast = useToast()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: async ({ part, title }: { readonly part: Part; readonly title: string }) => {
      const times = secondsOf(part, video)
      if (kind === 'clip') return client.clips.create(asset.id, { ...times, title })
      // A trim has times of the whole video.
      const before = asset.video.trim?.start_seconds ?? 0
      return set.mutateAsync({ start_seconds: before + times.start_seconds, end_seconds: before + times.end_seconds })
    },
    onSuccess: ({ id, title }) => {
      if (kind === 'clip') {
        const params = { organization, video: id }
        const open = () => void navigate({ to: '/o/$organization/videos/$video', params })
        toast(t`“${title}” was created.`, { action: { label: t`Open the clip`, run: open } })
      }
      onSaved()
    },
  })
}
