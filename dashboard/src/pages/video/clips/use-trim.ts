import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { queryClient } from '../../../app/queries.ts'
import { useProblemToast, useToast } from '../../../app/toasts.tsx'
import { clock } from '../../library/assets/formats.ts'
import { useVideo } from '../video-context.tsx'
import { videoKey } from '../video-data.ts'

/** Times in the whole video. */
export type TrimTimes = { readonly start_seconds: number; readonly end_seconds: number }

/** Shows only a part of the video, or the whole again. Both can be undone for a while. */
export function useTrim() {
  const { t } = useLingui()
  const { id: organization, client } = useOrganization()
  const { asset } = useVideo()
  const toast = useToast()
  const onError = useProblemToast()
  const { id } = asset
  const before = asset.video.trim
  const refresh = () => queryClient.invalidateQueries({ queryKey: videoKey(organization, id) })
  const undo = {
    label: t`Undo`,
    run: () => {
      const undone = before ? client.clips.trim(id, timesOf(before)) : client.clips.untrim(id)
      void undone.then(refresh, onError)
    },
  }
  const set = useMutation({
    mutationFn: (times: TrimTimes) => client.clips.trim(id, times, { ifMatch: asset.etag }),
    onSuccess: ({ video }) => {
      toast(t`Viewers now see ${clock(video.duration ?? 0)} of the video.`, { action: undo })
      return refresh()
    },
    onError: refresh,
  })
  const remove = useMutation({
    mutationFn: () => client.clips.untrim(id),
    onSuccess: () => {
      toast(t`Viewers now see the whole video.`, { action: undo })
      return refresh()
    },
    onError,
  })
  return { set, remove }
}

const timesOf = ({ start_seconds, end_seconds }: TrimTimes): TrimTimes => ({ start_seconds, end_seconds })
