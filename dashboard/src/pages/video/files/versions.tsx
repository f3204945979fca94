import { useLingui } from '@lingui/react/macro'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { Version } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { queryClient } from '../../../app/queries.ts'
import { useProblemToast, useToast } from '../../../app/toasts.tsx'
import { Button } from '../../../ui/button.tsx'
import { icons } from '../../../ui/icons.tsx'
import { Badge } from '../../../ui/row-list.tsx'
import { clock, sizeText } from '../../library/assets/formats.ts'
import { useFailureText } from '../failure-text.ts'
import { percentText, timeText } from '../formats.ts'
import { ProgressBar } from '../player/progress-bar.tsx'
import { StatusChip } from '../status-chip.tsx'
import { useVideo } from '../video-context.tsx'
import { partKey, videoKey } from '../video-data.ts'
import styles from './files.module.css'

/** Files that the video has had. Links and ids stay the same when another one plays. */
export function Versions() {
  const { t } = useLingui()
  const { id: organization, client } = useOrganization()
  const { asset, canEdit } = useVideo()
  const { data: versions = [] } = useQuery({
    queryKey: partKey(organization, asset.id, 'versions'),
    queryFn: async ({ signal }) => (await client.versions.list(asset.id, { signal })).results,
  })
  return (
    <>
      <ul className={styles.list} aria-label={t`Versions`}>
        {versions.map((version) => (
          <VersionRow key={version.number} version={version} />
        ))}
      </ul>
      {canEdit && <NewVersion />}
    </>
  )
}

function VersionRow({ version }: { readonly version: Version }) {
  const { t, i18n } = useLingui()
  const { asset, canEdit } = useVideo()
  const failureText = useFailureText()
  const activate = useActivate()
  const { number, bytes, duration, error, status } = version
  const facts = [
    timeText(version.created_at, i18n.locale),
    ...(duration === null ? [] : [clock(duration)]),
    ...(bytes === null ? [] : [sizeText(bytes, i18n.locale)]),
  ]
  const isOlder = number < asset.version
  return (
    <li className={styles.row}>
      <strong className={styles.name}>{t`Version ${number}`}</strong>
      <div className={styles.text}>
        <p>{facts.join(' · ')}</p>
        {error && <p className={styles.hint}>{failureText(error)}</p>}
      </div>
      {version.is_active ? <Badge>{t`Active`}</Badge> : <StatusChip status={status} />}
      {canEdit && !version.is_active && status === 'Completed' && (
        <Button size="small" isBusy={activate.isPending} onClick={() => activate.mutate(number)}>
          {isOlder ? t`Roll back to version ${number}` : t`Activate version ${number}`}
        </Button>
      )}
    </li>
  )
}

function useActivate() {
  const { t } = useLingui()
  const { id: organization, client } = useOrganization()
  const { asset } = useVideo()
  const toast = useToast()
  return useMutation({
    mutationFn: (number: number) => client.versions.activate(asset.id, number),
    onError: useProblemToast(),
    onSuccess: (_, number) => {
      toast(t`Version ${number} is now active.`)
      return queryClient.invalidateQueries({ queryKey: videoKey(organization, asset.id) })
    },
  })
}

function NewVersion() {
  const { t, i18n } = useLingui()
  const { id: organization, client } = useOrganization()
  const { asset } = useVideo()
  const input = useRef<HTMLInputElement>(null)
  const [percent, setPercent] = useState(0)
  const upload = useMutation({
    mutationFn: (file: File) =>
      client.versions.upload(asset.id, file, {
        onProgress: ({ sentBytes, totalBytes }) => setPercent((100 * sentBytes) / totalBytes),
      }),
    onMutate: () => setPercent(0),
    onError: useProblemToast(),
    onSettled: () => queryClient.invalidateQueries({ queryKey: videoKey(organization, asset.id) }),
  })
  return (
    <div className={styles.upload}>
      <Button size="small" icon={icons.upload} isBusy={upload.isPending} onClick={() => input.current?.click()}>
        {upload.isPending ? t`Uploading ${percentText(percent, i18n.locale)}` : t`Upload a new version`}
      </Button>
      <p className={styles.hint}>{t`It plays when it is processed. Links, chapters and captions stay.`}</p>
      {upload.isPending && <ProgressBar label={t`Upload of the new version`} percent={percent} />}
      <input
        ref={input}
        type="file"
        hidden
        accept="video/*"
        aria-label={t`File of the new version`}
        onChange={({ target }) => {
          const [file] = target.files ?? []
          if (file) upload.mutate(file)
          target.value = ''
        }}
      />
    </div>
  )
}
