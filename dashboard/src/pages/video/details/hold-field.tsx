import { useLingui } from '@lingui/react/macro'
import { useMergedSave } from '../edit/use-edit.ts'
import { useVideo } from '../video-context.tsx'
import styles from './details.module.css'

/** Protects the video from deletion, also by the operator. */
export function HoldField() {
  const { t } = useLingui()
  const { asset } = useVideo()
  const save = useMergedSave()
  return (
    <label className={styles.check}>
      <input
        type="checkbox"
        checked={asset.legal_hold}
        onChange={({ target: { checked } }) => save.mutate(() => ({ legal_hold: checked }))}
      />
      <span>
        {t`Legal hold`}
        <small>{t`While it is on, the video cannot be deleted.`}</small>
      </span>
    </label>
  )
}
