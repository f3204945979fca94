import { useLingui } from '@lingui/react/macro'
import { createLazyRoute } from '@tanstack/react-router'
import { PageTitle } from '../../app/page-title.tsx'

export const videoPage = createLazyRoute('/signed-in/o/$organization/videos/$video')({ component: VideoPage })

function VideoPage() {
  const { t } = useLingui()
  return <PageTitle title={t`Video`} />
}
