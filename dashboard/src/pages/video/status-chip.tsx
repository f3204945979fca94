import { useLingui } from '@lingui/react/macro'
import { percentText } from './formats.ts'
import styles from './status-chip.module.css'

const looks: Readonly<Record<string, string>> = { Completed: 'ok', Error: 'bad', Cancelled: 'bad' }

type Props = { readonly status: string; readonly progress?: number }

/** Status of a video or of a version. */
export function StatusChip({ status, progress }: Props) {
  const text = useStatusText()
  return (
    <span className={styles.chip} data-look={looks[status] ?? 'busy'}>
      {text(status, progress)}
    </span>
  )
}

function useStatusText() {
  const { t, i18n } = useLingui()
  return (status: string, progress: number | undefined): string => {
    const texts: Record<string, string> = {
      'Not Started': t`Waiting for the file`,
      Queued: t`In the queue`,
      Processing: progress === undefined ? t`Processing` : t`Processing ${percentText(progress, i18n.locale)}`,
      Completed: t`Ready`,
      Error: t`Failed`,
      Cancelled: t`Cancelled`,
    }
    return texts[status] ?? status
  }
}
