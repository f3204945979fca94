import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import type { QueuedUpload } from 'reelkeep/queue'
import { bytesText, rateText, secondsLeft } from './amounts.ts'

const SECONDS_PER_MINUTE = 60

/** Returns a function that says "2 minutes left". */
export function useTimeLeftText(): (seconds: number) => string {
  const { t } = useLingui()
  return (seconds) => {
    if (seconds < SECONDS_PER_MINUTE) return t`${plural(seconds, { one: '# second left', other: '# seconds left' })}`
    const minutes = Math.ceil(seconds / SECONDS_PER_MINUTE)
    if (minutes < 100) return t`${plural(minutes, { one: '# minute left', other: '# minutes left' })}`
    const hours = Math.ceil(minutes / 60)
    return t`${plural(hours, { one: '# hour left', other: '# hours left' })}`
  }
}

/** Returns a function that says why an upload failed and what to do. */
function useFailureText(): (upload: QueuedUpload) => string {
  const { t } = useLingui()
  return ({ error }) => {
    const texts: Record<string, () => string> = {
      file_changed: () => t`The file has changed since it was added. Retry to upload it as it is now.`,
      processing_failed: () => t`The video could not be processed. Open it to see why.`,
      processing_cancelled: () => t`The processing was cancelled.`,
      upload_session_closed: () => t`The upload was ended by someone else. Retry to upload the file again.`,
      insufficient_scope: () => t`Your role no longer allows uploads. Ask the owner of the organization.`,
      target_folder_not_found: () => t`The folder no longer exists.`,
      outside_folder: () => t`You may not upload to this folder.`,
      quota_exceeded: () => t`The storage of the organization is full. Delete videos, or ask the owner for more space.`,
      file_too_large: () => t`The file is too large.`,
      drm_not_configured: () => t`This service does not offer DRM. Choose another protection.`,
    }
    return texts[error?.code ?? '']?.() ?? error?.message ?? t`The upload failed.`
  }
}

/** Returns a function that says why an upload waits. It continues without the user, except after the sign-in ended. */
function useWaitingText(): (name: string) => string {
  const { t } = useLingui()
  return (name) => {
    if (name === 'AuthenticationError') return t`Sign in again to continue`
    return name === 'ServerError' || name === 'StorageError'
      ? t`The service is temporarily unavailable. The upload continues automatically.`
      : t`Waiting for the connection. The upload continues automatically.`
  }
}

/** Returns a function that describes the state of an upload in one line, except while it is processed. */
export function useUploadText(): (upload: QueuedUpload) => string {
  const { t, i18n } = useLingui()
  const timeLeft = useTimeLeftText()
  const failure = useFailureText()
  const waiting = useWaitingText()
  const amount = ({ sentBytes, bytes }: QueuedUpload) => {
    const [sent, total] = [bytesText(sentBytes, i18n.locale), bytesText(bytes, i18n.locale)]
    return sentBytes > 0 ? t`${sent} of ${total}` : total
  }
  const uploading = (upload: QueuedUpload) => {
    if (upload.error) return waiting(upload.error.name)
    const { bytes, sentBytes, bytesPerSecond } = upload
    const seconds = secondsLeft(bytes - sentBytes, bytesPerSecond)
    const rate = bytesPerSecond ? rateText(bytesPerSecond, i18n.locale) : undefined
    return [amount(upload), rate, seconds === undefined ? undefined : timeLeft(seconds)].filter(Boolean).join(' · ')
  }
  const texts: Record<QueuedUpload['state'], (upload: QueuedUpload) => string> = {
    waiting: (upload) => (upload.error ? waiting(upload.error.name) : `${t`Waiting`} · ${amount(upload)}`),
    checking: () => t`Reading the file`,
    uploading,
    paused: (upload) => `${t`Paused`} · ${amount(upload)}`,
    'needs-file': ({ canBeAllowed }) =>
      canBeAllowed ? t`Needs your permission to read the file` : t`Choose the file again to continue`,
    processing: () => t`Uploaded`,
    done: (upload) => `${t`Ready`} · ${bytesText(upload.bytes, i18n.locale)}`,
    failed: failure,
    cancelled: () => t`Cancelled`,
  }
  return (upload) => texts[upload.state](upload)
}
