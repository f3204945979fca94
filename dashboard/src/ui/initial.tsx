import styles from './initial.module.css'

/** The first letter of a name, as a picture of it. */
export const Initial = ({ name }: { readonly name: string }) => (
  <span className={styles.initial} aria-hidden="true">
    {[...name][0]?.toLocaleUpperCase()}
  </span>
)
