import { useLingui } from '@lingui/react/macro'
import { LinkButton } from '../ui/button.tsx'
import { EntranceLayout } from './entrance-layout.tsx'
import { PageTitle } from './page-title.tsx'

export function NotFoundPage() {
  const { t } = useLingui()
  return (
    <EntranceLayout>
      <PageTitle title={t`This page does not exist`} />
      <p>{t`The address may be misspelled, or the page has moved.`}</p>
      <LinkButton look="primary" size="large" href="/">
        {t`Go to the start page`}
      </LinkButton>
    </EntranceLayout>
  )
}
