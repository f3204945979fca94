import { useLingui } from '@lingui/react/macro'

/** Returns a function that names the status of a video in the user's language. */
export function useStatusText(): (status: string) => string {
  const { t } = useLingui()
  const texts: Record<string, string> = {
    'Not Started': t`Uploading`,
    Queued: t`Waiting`,
    Processing: t`Processing`,
    Completed: t`Ready`,
    Error: t`Failed`,
    Cancelled: t`Cancelled`,
  }
  return (status) => texts[status] ?? status
}
