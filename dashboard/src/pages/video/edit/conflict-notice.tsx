import { useLingui } from '@lingui/react/macro'
import { Button } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/notice.tsx'
import styles from './edit.module.css'

type Props = {
  /** The value that another change has saved. */
  readonly theirs: string
  readonly onKeepMine: () => void
  readonly onUseTheirs: () => void
}

/** Shows the value that another person has saved, and asks which value to keep. */
export function ConflictNotice({ theirs, onKeepMine, onUseTheirs }: Props) {
  const { t } = useLingui()
  return (
    <Notice kind="warning">
      <p>{t`Someone else changed this while you were editing. The current value is:`}</p>
      <p className={styles.theirs}>{theirs === '' ? t`(empty)` : theirs}</p>
      <div className={styles.buttons}>
        <Button size="small" onClick={onUseTheirs}>
          {t`Use this version`}
        </Button>
        <Button size="small" look="primary" onClick={onKeepMine}>
          {t`Save my version`}
        </Button>
      </div>
    </Notice>
  )
}
