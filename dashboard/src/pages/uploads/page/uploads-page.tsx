import { useLingui } from '@lingui/react/macro'
import { createLazyRoute } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { isUnderWay, type QueuedUpload } from 'reelkeep/queue'
import { PageTitle } from '../../../app/texts/page-title.tsx'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { icons } from '../../../ui/icons.tsx'
import { LazyConfirmDialog } from '../../../ui/lazy-confirm-dialog.tsx'
import { NeededFiles } from '../dock/needed-files.tsx'
import { UploadRow } from '../dock/rows/upload-row.tsx'
import { ChooseVideosButton, UploadButton } from '../dock/upload-button.tsx'
import { useUploadList, useUploads } from '../dock/use-uploads.ts'
import styles from './uploads-page.module.css'

export const uploadsPage = createLazyRoute('/signed-in/o/$organization/uploads')({ component: UploadsPage })

function UploadsPage() {
  const { t } = useLingui()
  const uploads = useUploadList()
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <PageTitle title={t`Uploads`} />
        <UploadButton />
      </header>
      <NeededFiles />
      {uploads.length === 0 ? <Empty /> : <List uploads={uploads} />}
    </div>
  )
}

function Empty() {
  const { t } = useLingui()
  const uploads = useUploads()
  return (
    <EmptyState
      icon={icons.upload}
      title={t`No uploads`}
      text={
        uploads
          ? t`Drop videos or whole folders anywhere on the page. Uploads continue after a reload or a lost connection.`
          : t`Your role does not allow uploads.`
      }
    >
      <ChooseVideosButton />
    </EmptyState>
  )
}

type Listed = { readonly uploads: readonly QueuedUpload[] }

function List({ uploads }: Listed) {
  const { t } = useLingui()
  return (
    <>
      <Actions uploads={uploads} />
      <ul className={styles.list} aria-label={t`Files`}>
        {uploads.map((upload) => (
          <UploadRow key={upload.id} upload={upload} />
        ))}
      </ul>
    </>
  )
}

const isIn =
  (...states: readonly QueuedUpload['state'][]) =>
  ({ state }: QueuedUpload) =>
    states.includes(state)

/** What can be done with all uploads. */
function Actions({ uploads }: Listed) {
  const { t } = useLingui()
  const queue = useUploads()?.queue
  const [isAsking, setIsAsking] = useState(false)
  if (!queue) return null
  const idsOf = (isWanted: (upload: QueuedUpload) => boolean) => uploads.filter(isWanted).map(({ id }) => id)
  const failed = idsOf((upload) => upload.state === 'failed' && upload.error?.name !== 'ProcessingError')
  const ended = idsOf(isIn('done', 'cancelled', 'failed'))
  const unfinished = idsOf((upload) => isUnderWay(upload) || isIn('paused', 'needs-file')(upload))
  return (
    <div className={styles.actions}>
      {uploads.some(isUnderWay) && (
        <Button size="small" icon={icons.pause} onClick={() => void queue.pause()}>
          {t`Pause all`}
        </Button>
      )}
      {uploads.some(isIn('paused')) && (
        <Button size="small" icon={icons.play} onClick={() => void queue.resume()}>
          {t`Resume all`}
        </Button>
      )}
      {failed.length > 0 && (
        <Button size="small" icon={icons.retry} onClick={() => void queue.retry(failed)}>
          {t`Retry failed`}
        </Button>
      )}
      {ended.length > 0 && (
        <Button size="small" onClick={() => void queue.remove(ended)}>
          {t`Clear finished`}
        </Button>
      )}
      {unfinished.length > 0 && (
        <Button size="small" look="quiet" onClick={() => setIsAsking(true)}>
          {t`Cancel all`}
        </Button>
      )}
      <Suspense>
        {isAsking && (
          <LazyConfirmDialog
            title={t`Cancel all uploads?`}
            confirmLabel={t`Cancel uploads`}
            onClose={() => setIsAsking(false)}
            onConfirm={() => {
              setIsAsking(false)
              void queue.cancel(unfinished)
            }}
          >
            {t`Files that are partly sent are discarded. Videos that are already uploaded stay.`}
          </LazyConfirmDialog>
        )}
      </Suspense>
    </div>
  )
}
