/** Cancels the processing of a video, and starts it again. */
import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { queryClient } from '../../../app/queries.ts'
import { useProblemToast } from '../../../app/toasts.tsx'
import { Button } from '../../../ui/button.tsx'
import { LazyConfirmDialog } from '../../../ui/lazy-confirm-dialog.tsx'
import { mediaIcons } from '../../../ui/media-icons.tsx'
import { useVideo } from '../video-context.tsx'
import { useVideoStatus, videoKey } from '../video-data.ts'

function useChange(run: (id: string) => Promise<unknown>) {
  const { asset } = useVideo()
  const { id: organization } = useOrganization()
  const showProblem = useProblemToast()
  return useMutation({
    mutationFn: () => run(asset.id),
    onError: showProblem,
    onSettled: () => queryClient.invalidateQueries({ queryKey: videoKey(organization, asset.id) }),
  })
}

/** Asks first if a worker has begun, because the unfinished part of its work is lost. */
export function CancelButton() {
  const { t } = useLingui()
  const { asset, canEdit } = useVideo()
  const { client } = useOrganization()
  const { status } = useVideoStatus(asset)
  const [isAsked, setAsked] = useState(false)
  const cancel = useChange(client.assets.cancel)
  if (!canEdit) return null
  return (
    <>
      <Button
        size="small"
        isBusy={cancel.isPending}
        onClick={() => (status === 'Queued' ? cancel.mutate() : setAsked(true))}
      >
        {t`Cancel processing`}
      </Button>
      {isAsked && (
        <Suspense>
          <LazyConfirmDialog
            title={t`Cancel the processing?`}
            confirmLabel={t`Cancel processing`}
            closeLabel={t`Continue processing`}
            onClose={() => setAsked(false)}
            onConfirm={() => {
              setAsked(false)
              cancel.mutate()
            }}
          >
            {t`What is not finished yet is lost. The uploaded file and finished parts are kept, and you can process the video again later.`}
          </LazyConfirmDialog>
        </Suspense>
      )}
    </>
  )
}

/** Files that cannot become a video by another attempt. */
const finalFailures = [
  'upload_',
  'not_a_video',
  'container_',
  'file_damaged',
  'no_video_stream',
  'codec_',
  'video_too_',
]

export function RetryButton() {
  const { t } = useLingui()
  const { asset, canEdit } = useVideo()
  const { client } = useOrganization()
  const retry = useChange(client.assets.retry)
  const code = asset.video.error?.code ?? ''
  if (!canEdit || finalFailures.some((prefix) => code.startsWith(prefix))) return null
  return (
    <Button icon={mediaIcons.retry} isBusy={retry.isPending} onClick={() => retry.mutate()}>
      {t`Process again`}
    </Button>
  )
}
