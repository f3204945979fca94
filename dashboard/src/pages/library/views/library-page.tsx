import { useLingui } from '@lingui/react/macro'
import { createLazyRoute } from '@tanstack/react-router'
import { PageTitle } from '../../../app/page-title.tsx'

export const libraryPage = createLazyRoute('/signed-in/o/$organization/library')({ component: LibraryPage })

function LibraryPage() {
  const { t } = useLingui()
  return <PageTitle title={t`Library`} />
}
