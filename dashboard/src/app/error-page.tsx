import { useLingui } from '@lingui/react/macro'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { Button } from '../ui/button.tsx'
import { EntranceLayout } from './entrance-layout.tsx'
import { PageTitle } from './page-title.tsx'
import { useProblemText } from './problem-text.ts'

/** Shown if a page cannot be loaded. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const { t } = useLingui()
  const router = useRouter()
  const problemText = useProblemText()
  const retry = async () => {
    await router.invalidate()
    reset()
  }
  return (
    <EntranceLayout>
      <PageTitle title={t`This page could not be loaded`} />
      <p role="alert">{problemText(error)}</p>
      <Button look="primary" size="large" onClick={() => void retry()}>
        {t`Try again`}
      </Button>
    </EntranceLayout>
  )
}
