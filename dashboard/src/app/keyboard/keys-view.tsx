import { keyNames } from './keys.ts'
import styles from './keys-view.module.css'

/** The keys of a shortcut. */
export const KeysView = ({ keys }: { readonly keys: string }) => (
  <span className={styles.keys}>
    {keyNames(keys).map((name) => (
      <kbd key={name}>{name}</kbd>
    ))}
  </span>
)
