import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { QueuedUpload } from 'reelkeep/queue'
import { useProgress } from '../../../../app/live/live.tsx'
import { useOrganization } from '../../../../app/organization/organization.tsx'
import { icons } from '../../../../ui/icons.tsx'
import { useIsPlayable } from '../use-uploads.ts'
import { percentOf } from './amounts.ts'
import { RowActions } from './row-actions.tsx'
import styles from './upload-row.module.css'
import { useUploadText } from './use-upload-text.ts'

/** One upload: its name, what happens to it, and what the user can do. */
export const UploadRow = memo(function UploadRow({ upload }: { readonly upload: QueuedUpload }) {
  const text = useUploadText()
  const { state, assetId } = upload
  return (
    <li className={styles.row} data-state={state}>
      <span className={styles.icon}>{iconOf(state)}</span>
      <div className={styles.text}>
        <p className={styles.name}>
          <Title upload={upload} />
        </p>
        {state === 'processing' && assetId ? (
          <Processing assetId={assetId} name={upload.name} />
        ) : (
          <p className={styles.details}>{text(upload)}</p>
        )}
        {(state === 'uploading' || state === 'paused') && <UploadBar upload={upload} />}
      </div>
      <RowActions upload={upload} />
    </li>
  )
})

/** The title is a link as soon as the video can be played. */
function Title({ upload }: { readonly upload: QueuedUpload }) {
  const { id: organization } = useOrganization()
  const { assetId, state, name, error } = upload
  const isPlayable = useIsPlayable(assetId)
  const isOpenable = isPlayable || state === 'done' || error?.name === 'ProcessingError'
  if (!(assetId && isOpenable)) return <span title={name}>{name}</span>
  return (
    <Link to="/o/$organization/videos/$video" params={{ organization, video: assetId }} title={name}>
      {name}
    </Link>
  )
}

function UploadBar({ upload: { name, sentBytes, bytes, state } }: { readonly upload: QueuedUpload }) {
  const { t } = useLingui()
  return <Bar label={t`Upload of ${name}`} percent={percentOf(sentBytes, bytes)} isPaused={state === 'paused'} />
}

function Processing({ assetId, name }: { readonly assetId: string; readonly name: string }) {
  const { t, i18n } = useLingui()
  const progress = useProgress(assetId)
  const isPlayable = useIsPlayable(assetId)
  const percent = Math.floor(progress?.progress ?? 0)
  const isProcessing = progress?.status === 'Processing'
  return (
    <>
      <p className={styles.details}>
        {isProcessing
          ? t`Processing ${i18n.number(percent / 100, { style: 'percent' })}`
          : t`Uploaded, waiting for processing`}
        {isPlayable && ` · ${t`can be played`}`}
      </p>
      {isProcessing && <Bar label={t`Processing of ${name}`} percent={percent} />}
    </>
  )
}

type BarProps = { readonly label: string; readonly percent: number; readonly isPaused?: boolean }

const Bar = ({ label, percent, isPaused }: BarProps) => (
  <div
    className={styles.bar}
    role="progressbar"
    aria-label={label}
    aria-valuenow={percent}
    data-paused={isPaused || undefined}
  >
    <div style={{ width: `${percent}%` }} />
  </div>
)

function iconOf(state: QueuedUpload['state']) {
  if (state === 'done') return icons.done
  if (state === 'failed' || state === 'needs-file') return icons.warning
  if (state === 'cancelled') return icons.close
  return state === 'processing' ? icons.activity : icons.upload
}
