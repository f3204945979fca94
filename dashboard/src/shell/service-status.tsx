import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useFeedState } from '../app/live/live.tsx'
import { meQuery } from '../app/queries.ts'
import { icons } from '../ui/icons.tsx'
import { readAgain, useServiceProblem } from './service-state.ts'
import styles from './service-status.module.css'

const CHECK_MILLISECONDS = 15_000

/** Says that the service is unavailable. When it is back, the page updates and the message disappears. */
export function ServiceStatus() {
  const text = useStatusText()
  return (
    <div role="status">
      {text !== undefined && (
        <p className={styles.status}>
          {icons.warning}
          {text}
        </p>
      )}
    </div>
  )
}

function useStatusText(): string | undefined {
  const { t } = useLingui()
  const feed = useFeedState()
  const problem = useServiceProblem()
  // Without the event stream, only requests show whether the server responds.
  useQuery({ ...meQuery, refetchInterval: feed === undefined && CHECK_MILLISECONDS })
  // Events were missed while the stream was lost.
  useEffect(() => (feed === 'lost' ? () => void readAgain() : undefined), [feed])
  if (problem === 'unavailable') {
    return t`The database or the storage of the service is temporarily unavailable. Nothing is lost. The page updates automatically as soon as the service is available.`
  }
  if (problem === 'unreachable' || feed === 'lost') {
    return t`The connection to the server is interrupted. The page updates automatically as soon as the server responds.`
  }
  return undefined
}
