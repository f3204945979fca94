import { useLingui } from '@lingui/react/macro'
import { createLazyRoute } from '@tanstack/react-router'
import { SectionHead } from './parts/section-head.tsx'

export const noSectionsPage = createLazyRoute('/signed-in/o/$organization/settings/')({ component: NoSectionsPage })

/** For roles that may read none of the settings. */
function NoSectionsPage() {
  const { t } = useLingui()
  return (
    <SectionHead title={t`Settings`}>
      {t`Your role cannot view the organization settings. Your personal settings are on your account page.`}
    </SectionHead>
  )
}
