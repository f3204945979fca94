import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button } from '../../../../ui/button.tsx'
import { Dialog } from '../../../../ui/dialog.tsx'
import styles from './adding.module.css'

/** A file, and the name that it had when it was uploaded before. */
export type Duplicate = { readonly name: string; readonly earlier: string }

type Props = {
  readonly files: readonly Duplicate[]
  /** Number of files that were added, with those that are no duplicates. */
  readonly total: number
  readonly onAnswer: (choice: 'all' | 'skip' | 'cancel') => void
}

const FILES_MAX = 5

/** Asks what to do with files that were uploaded before. */
export function DuplicatesDialog({ files, total, onAnswer }: Props) {
  const { t } = useLingui()
  const more = files.length - FILES_MAX
  const skipText = files.length === 1 ? t`Skip this file` : t`Skip these files`
  return (
    <Dialog title={t`Upload again?`} onClose={() => onAnswer('cancel')}>
      <p className={styles.text}>
        <Plural
          value={files.length}
          one="This file is already uploaded or in the list:"
          other="These # files are already uploaded or in the list:"
        />
      </p>
      <ul className={styles.names}>
        {files.slice(0, FILES_MAX).map(({ name, earlier }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: Names can be equal, and the list does not change.
          <li key={index}>{name === earlier ? name : t`${name}, the same file as ${earlier}`}</li>
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
          {files.length === total ? t`Do not upload` : skipText}
        </Button>
      </div>
    </Dialog>
  )
}
