import { useLingui } from '@lingui/react/macro'
import type { QueuedUpload } from 'reelkeep/queue'
import { isUnderWay } from 'reelkeep/queue'
import { useOrganization } from '../../../../app/organization/organization.tsx'
import { useProblemToast } from '../../../../app/toasts.tsx'
import { IconButton } from '../../../../ui/button.tsx'
import { icons } from '../../../../ui/icons.tsx'
import { useUploads } from '../use-uploads.ts'
import styles from './upload-row.module.css'

/** The buttons of one upload. */
export function RowActions({ upload }: { readonly upload: QueuedUpload }) {
  const { t } = useLingui()
  const queue = useUploads()?.queue
  const main = useMainAction(upload)
  if (!queue) return null
  const { id, name, state } = upload
  const isStoppable = isUnderWay(upload) || state === 'paused' || state === 'needs-file'
  return (
    <span className={styles.actions}>
      {main && <IconButton label={main.label} icon={main.icon} onClick={main.run} />}
      {isStoppable ? (
        <IconButton label={t`Cancel ${name}`} icon={icons.close} onClick={() => void queue.cancel([id])} />
      ) : (
        <IconButton
          label={t`Remove ${name} from the list`}
          icon={icons.close}
          onClick={() => void queue.remove([id])}
        />
      )}
    </span>
  )
}

/** Pause, resume or retry. It is one button, which keeps the focus when the state changes. */
function useMainAction(upload: QueuedUpload) {
  const { t } = useLingui()
  const queue = useUploads()?.queue
  const retry = useRetry(upload)
  const { id, name, state } = upload
  if (isUnderWay(upload)) return { label: t`Pause ${name}`, icon: icons.pause, run: () => void queue?.pause([id]) }
  if (state === 'paused') return { label: t`Resume ${name}`, icon: icons.play, run: () => void queue?.resume([id]) }
  if (state === 'failed' || state === 'cancelled') return { label: t`Retry ${name}`, icon: icons.retry, run: retry }
  return undefined
}

/** Uploads the file again, or only processes it again if it was uploaded. */
function useRetry({ id, assetId, error }: QueuedUpload): () => void {
  const { client } = useOrganization()
  const queue = useUploads()?.queue
  const showProblem = useProblemToast()
  return () => {
    const isProcessing = error?.name === 'ProcessingError' && assetId !== undefined
    const retrying = isProcessing
      ? client.assets.retry(assetId).then(() => queue?.setProcessed(assetId, 'processing'))
      : queue?.retry([id])
    retrying?.catch(showProblem)
  }
}
