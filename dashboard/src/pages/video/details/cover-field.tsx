import { useLingui } from '@lingui/react/macro'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import type { CoverUpload, Reelkeep, SetCoverBody } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { queryClient } from '../../../app/queries.ts'
import { useProblemToast, useToast } from '../../../app/toasts.tsx'
import { Button } from '../../../ui/button.tsx'
import { useVideo } from '../video-context.tsx'
import { partKey, videoKey } from '../video-data.ts'
import styles from './details.module.css'

/** The image before playback: a frame, an uploaded image, or the one that was chosen automatically. */
export function CoverField() {
  const { t } = useLingui()
  const { id: organization, client } = useOrganization()
  const { asset, player, canEdit } = useVideo()
  const file = useRef<HTMLInputElement>(null)
  const { data: cover } = useQuery({
    queryKey: partKey(organization, asset.id, 'cover'),
    queryFn: ({ signal }) => client.covers.read(asset.id, { signal }),
  })
  const change = useChangeCover()
  const url = asset.video.cover_thumbnail_url
  const chooseFrame = () => change.mutate((api, id) => set(api, id, { at_seconds: player.current?.currentTime ?? 0 }))
  return (
    <>
      {url && <img className={styles.cover} src={url} alt={t`Current cover`} />}
      {cover?.status === 'processing' && <p role="status">{t`The new cover is being created…`}</p>}
      {canEdit && (
        <div className={styles.coverButtons}>
          {asset.video.playback_url !== null && (
            <Button size="small" isBusy={change.isPending} onClick={chooseFrame}>
              {t`Use current frame`}
            </Button>
          )}
          <Button size="small" onClick={() => file.current?.click()}>
            {t`Upload image`}
          </Button>
          {cover?.is_custom && (
            <Button size="small" look="quiet" onClick={() => change.mutate((api, id) => api.covers.delete(id))}>
              {t`Reset`}
            </Button>
          )}
          <input
            ref={file}
            type="file"
            hidden
            accept="image/jpeg,image/png,image/webp"
            aria-label={t`Image for the cover`}
            onChange={({ target }) => {
              const [image] = target.files ?? []
              if (image) change.mutate((api, id) => upload(api, id, image))
              target.value = ''
            }}
          />
        </div>
      )}
    </>
  )
}

type Change = (client: Reelkeep, id: string) => Promise<unknown>

const set = (client: Reelkeep, id: string, body: SetCoverBody) => client.covers.set(id, body)

async function upload(client: Reelkeep, id: string, image: File): Promise<unknown> {
  const form = await client.covers.createUpload(id)
  await post(form, image)
  return set(client, id, { upload_id: form.id })
}

/** Sends the image to storage with the signed form. */
async function post({ client_payload: payload }: CoverUpload, image: File): Promise<void> {
  const { upload_link: link, ...fields } = payload
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  data.append('file', image)
  const { ok } = await fetch(link, { method: 'POST', body: data })
  if (!ok) throw new Error('The image was not accepted.')
}

function useChangeCover() {
  const { t } = useLingui()
  const { id: organization, client } = useOrganization()
  const { asset } = useVideo()
  const toast = useToast()
  return useMutation({
    mutationFn: (change: Change) => change(client, asset.id),
    onError: useProblemToast(),
    onSuccess: () => {
      toast(t`The cover is being changed.`)
      return queryClient.invalidateQueries({ queryKey: videoKey(organization, asset.id) })
    },
  })
}
