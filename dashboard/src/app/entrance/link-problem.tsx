import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { problemOf } from '../../api/request.ts'
import { Notice } from '../../ui/notice.tsx'
import { PageTitle } from '../texts/page-title.tsx'
import { useProblemText } from '../texts/problem-text.ts'

type Props = {
  readonly hasToken: boolean
  readonly error: unknown
  readonly title: string
  /** What to do if the link has expired or was used. */
  readonly advice: string
}

/** Says why an invitation or recovery link cannot be used. */
export function LinkProblem({ hasToken, error, title, advice }: Props) {
  const { t } = useLingui()
  const problemText = useProblemText()
  const isSpent = [400, 404, 409, 410].includes(problemOf(error)?.status ?? 0)
  const reason = isSpent ? advice : problemText(error)
  return (
    <>
      <PageTitle title={hasToken ? title : t`This link is incomplete`} />
      <Notice kind="warning">
        {hasToken ? reason : t`A part of the link is missing. Open it again from the message that you received.`}
      </Notice>
      <p>
        <Link to="/sign-in">{t`Go to the sign-in page`}</Link>
      </p>
    </>
  )
}
