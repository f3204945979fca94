import { useLingui } from '@lingui/react/macro'
import { createLazyRoute } from '@tanstack/react-router'
import { PageTitle } from '../../app/page-title.tsx'

export const settingsPage = createLazyRoute('/signed-in/o/$organization/settings')({ component: SettingsPage })

function SettingsPage() {
  const { t } = useLingui()
  return <PageTitle title={t`Settings`} />
}
