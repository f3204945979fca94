import styles from './initial.module.css'

/** The first letter of a name, as a picture of it. */
export const Initial = ({ name }: { readonly name: string }) => (
  <span className={styles.initial} data-letter={[...name][0]?.toLocaleUpperCase()} aria-hidden="true" />
)
