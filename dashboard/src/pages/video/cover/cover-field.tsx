import { useLingui } from '@lingui/react/macro'
import { useMutation, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useRef, useState } from 'react'
import type { CoverUpload, Reelkeep, SetCoverBody } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { queryClient } from '../../../app/queries.ts'
import { useProblemToast, useToast } from '../../../app/toasts.tsx'
import { Button } from '../../../ui/button.tsx'
import { useVideo } from '../video-context.tsx'
import { partKey, videoKey } from '../video-data.ts'
import styles from './cover-field.module.css'

/** Loaded when an image is chosen. */
const CropDialog = lazy(async () => ({ default: (await import('./crop-dialog.tsx')).CropDialog }))

/** The image before playback: a frame, an uploaded image, or the one that was chosen automatically. */
export function CoverField() {
  const { t } = useLingui()
  const { id: organization, client } = useOrganization()
  const { asset, player, canEdit } = useVideo()
  const file = useRef<HTMLInputElement>(null)
  const [chosen, setChosen] = useState<File>()
  const { data: cover } = useQuery({
    queryKey: partKey(organization, asset.id, 'cover'),
    queryFn: ({ signal }) => client.covers.read(asset.id, { signal }),
  })
  const change = useChangeCover()
  const { cover_thumbnail_url: url, width, height } = asset.video
  const chooseFrame = () => change.mutate((api, id) => set(api, id, { at_seconds: player.current?.currentTime ?? 0 }))
  return (
    <>
      {url && <img className={styles.cover} src={url} alt={t`Current cover`} />}
      {cover?.status === 'processing' && <p role="status">{t`The new cover is being created…`}</p>}
      {canEdit && (
        <div className={styles.buttons}>
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
              setChosen(image)
              target.value = ''
            }}
          />
        </div>
      )}
      {chosen && (
        <Suspense>
          <CropDialog
            file={chosen}
            videoRatio={width && height ? width / height : 16 / 9}
            onClose={() => setChosen(undefined)}
            onCrop={(image) => {
              setChosen(undefined)
              change.mutate((api, id) => upload(api, id, image))
            }}
          />
        </Suspense>
      )}
    </>
  )
}

type Change = (client: Reelkeep, id: string) => Promise<unknown>

const set = (client: Reelkeep, id: string, body: SetCoverBody) => client.covers.set(id, body)

async function upload(client: Reelkeep, id: string, image: Blob): Promise<unknown> {
  const form = await client.covers.createUpload(id)
  await post(form, image)
  return set(client, id, { upload_id: form.id })
}

/** Sends the image to storage with the signed form. */
async function post({ client_payload: payload }: CoverUpload, image: Blob): Promise<void> {
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
