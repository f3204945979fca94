import { useLingui } from '@lingui/react/macro'
import { keyNames } from './keys.ts'
import styles from './keys-view.module.css'

/** The keys of a shortcut. */
export function KeysView({ keys }: { readonly keys: string }) {
  const { t } = useLingui()
  const names = {
    shift: t({ message: 'Shift', context: 'key' }),
    Space: t({ message: 'Space', context: 'key' }),
    Delete: t({ message: 'Del', context: 'key' }),
  }
  return (
    <span className={styles.keys}>
      {keyNames(keys, names).map((name) => (
        <kbd key={name}>{name}</kbd>
      ))}
    </span>
  )
}
