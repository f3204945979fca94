import { useLingui } from '@lingui/react/macro'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useEffect, useEffectEvent } from 'react'
import { readSignInOptions } from '../../api/account.ts'
import { problemOf } from '../../api/request.ts'
import { Button } from '../../ui/button.tsx'
import { EntranceLayout } from '../entrance/entrance-layout.tsx'
import { PageTitle } from '../texts/page-title.tsx'
import { useProblemText } from '../texts/problem-text.ts'

const CHECK_MILLISECONDS = 3000

/** Code of a page that could not be loaded: the messages of Chromium, Firefox, Safari and Vite. */
const isMissingCode = (error: unknown) =>
  error instanceof Error && /dynamically imported module|module script failed|preload CSS/i.test(error.message)

/** Shown if a page cannot be loaded. Opens the page when a server that did not respond is back. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const { t } = useLingui()
  const router = useRouter()
  const problemText = useProblemText()
  const isMissing = isMissingCode(error)
  const retry = async () => {
    // Browsers do not load a module again that failed once.
    if (isMissing) return location.reload()
    await router.invalidate()
    reset()
  }
  const status = problemOf(error)?.status
  useReturn(isMissing || status === 0 || status === 503, () => void retry())
  return (
    <EntranceLayout>
      <PageTitle title={t`This page could not be loaded`} />
      <p role="alert">
        {isMissing
          ? t`The server did not send the page. The page opens automatically as soon as the server responds.`
          : problemText(error)}
      </p>
      <Button look="primary" size="large" onClick={() => void retry()}>
        {t`Try again`}
      </Button>
    </EntranceLayout>
  )
}

/** Calls the function when a check succeeds after one has failed. If none fails, the cause is another one. */
function useReturn(isWaiting: boolean, onReturn: () => void): void {
  const returned = useEffectEvent(onReturn)
  useEffect(() => {
    if (!isWaiting) return
    let wasAway = false
    const check = async () => {
      const isAway = await readSignInOptions().then(
        () => false,
        () => true,
      )
      if (wasAway && !isAway) returned()
      wasAway ||= isAway
    }
    void check()
    const timer = setInterval(() => void check(), CHECK_MILLISECONDS)
    return () => clearInterval(timer)
  }, [isWaiting])
}
