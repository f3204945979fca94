import styles from './player.module.css'

export const ProgressBar = ({ label, percent }: { readonly label: string; readonly percent: number }) => (
  <div
    className={styles.bar}
    role="progressbar"
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={100}
    aria-valuenow={Math.round(percent)}
  >
    <div style={{ width: `${percent}%` }} />
  </div>
)
