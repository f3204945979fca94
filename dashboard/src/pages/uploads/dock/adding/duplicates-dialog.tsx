import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button } from '../../../../ui/button.tsx'
import { Dialog } from '../../../../ui/dialog.tsx'
import styles from './adding.module.css'

type Props = {
  readonly names: readonly string[]
  /** Number of files that were added, with those that are no duplicates. */
  readonly total: number
  readonly onAnswer: (choice: 'all' | 'skip' | 'cancel') => void
}

const NAMES_MAX = 5

/** Asks what to do with files that were uploaded before. */
export function DuplicatesDialog({ names, total, onAnswer }: Props) {
  const { t } = useLingui()
  const more = names.length - NAMES_MAX
  return (
    <Dialog title={t`Upload again?`} onClose={() => onAnswer('cancel')}>
      <p className={styles.text}>
        <Plural
          value={names.length}
          one="This file is already uploaded or in the list:"
          other="These # files are already uploaded or in the list:"
        />
      </p>
      <ul className={styles.names}>
        {names.slice(0, NAMES_MAX).map((name, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: Names can be equal, and the list does not change.
          <li key={index}>{name}</li>
        ))}
        {more > 0 && (
          <li>
            <Trans>and {more} more</Trans>
          </li>
        )}
      </ul>
      <div className={styles.buttons}>
        <Button onClick={() => onAnswer('all')}>{t`Upload again`}</Button>
        <Button look="primary" autoFocus onClick={() => onAnswer('skip')}>
          {names.length === total ? t`Do not upload` : t`Skip them`}
        </Button>
      </div>
    </Dialog>
  )
}
