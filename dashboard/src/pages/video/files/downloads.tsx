import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import type { CreateDownloadBody } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { useProblemToast } from '../../../app/toasts.tsx'
import { Button } from '../../../ui/button.tsx'
import { mediaIcons } from '../../../ui/media-icons.tsx'
import { useVideo } from '../video-context.tsx'
import styles from './files.module.css'

/** Files that the role may download. Protected videos have no MP4. */
export function Downloads() {
  const { t } = useLingui()
  const { can } = useOrganization()
  const { asset } = useVideo()
  const download = useDownload()
  const { video, bytes } = asset
  const complete = video.renditions.filter(({ status }) => status === 'Completed')
  const mp4s = video.content_protection_type === 'disable' ? complete : []
  const hasSource = can('source:read') && bytes !== null
  if (mp4s.length === 0 && !hasSource) return <p className={styles.hint}>{t`No downloads are available.`}</p>
  return (
    <div className={styles.buttons}>
      {mp4s.map(({ name }) => (
        <Button
          key={name}
          size="small"
          icon={mediaIcons.download}
          onClick={() => download.mutate({ kind: 'mp4', resolution: name })}
        >
          {t`MP4 ${name}`}
        </Button>
      ))}
      {hasSource && (
        <Button size="small" icon={mediaIcons.download} onClick={() => download.mutate({ kind: 'source' })}>
          {t`Original file`}
        </Button>
      )}
    </div>
  )
}

/** Creates a link and opens it. The response is an attachment, so the page stays. */
function useDownload() {
  const { client } = useOrganization()
  const { asset } = useVideo()
  return useMutation({
    mutationFn: (body: CreateDownloadBody) => client.downloads.create(asset.id, body),
    onSuccess: ({ url, file_name: name }) =>
      Object.assign(document.createElement('a'), { href: url, download: name }).click(),
    onError: useProblemToast(),
  })
}
