import { useLingui } from '@lingui/react/macro'
import { useFeedState } from '../app/live/live.tsx'
import { icons } from '../ui/icons.tsx'
import styles from './service-status.module.css'

/** Says that the service cannot be reached. The stream reconnects by itself, and then the message disappears. */
export function ServiceStatus() {
  const { t } = useLingui()
  const state = useFeedState()
  return (
    <div role="status">
      {state === 'lost' && (
        <p className={styles.status}>
          {icons.warning}
          {t`The connection to the server is interrupted. The page continues by itself as soon as the server responds.`}
        </p>
      )}
    </div>
  )
}
