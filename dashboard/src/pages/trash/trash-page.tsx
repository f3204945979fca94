import { useLingui } from '@lingui/react/macro'
import { createLazyRoute } from '@tanstack/react-router'
import { PageTitle } from '../../app/page-title.tsx'

export const trashPage = createLazyRoute('/signed-in/o/$organization/trash')({ component: TrashPage })

function TrashPage() {
  const { t } = useLingui()
  return <PageTitle title={t`Trash`} />
}
