import { useLingui } from '@lingui/react/macro'
import { createLazyRoute } from '@tanstack/react-router'
import { PageTitle } from '../../../app/page-title.tsx'

export const uploadsPage = createLazyRoute('/signed-in/o/$organization/uploads')({ component: UploadsPage })

function UploadsPage() {
  const { t } = useLingui()
  return <PageTitle title={t`Uploads`} />
}
