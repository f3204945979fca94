import { useLingui } from '@lingui/react/macro'
import { createLazyRoute, Link } from '@tanstack/react-router'
import { problemOf } from '../../api/request.ts'
import { useOrganization } from '../../app/organization/organization.tsx'
import { maySeeTrash } from '../../app/organization/permitted-pages.ts'
import { PageTitle } from '../../app/texts/page-title.tsx'
import { useProblemText } from '../../app/texts/problem-text.ts'
import { Button } from '../../ui/button.tsx'
import { PartNotice } from './clips/part-notice.tsx'
import { Details } from './details/details.tsx'
import { Header } from './header.tsx'
import { Parts } from './parts.tsx'
import { Player } from './player/player.tsx'
import { ProcessingStatus } from './player/waiting.tsx'
import { VideoApi } from './video-api.tsx'
import { VideoProvider } from './video-context.tsx'
import { useLiveVideo, useVideoQuery } from './video-data.ts'
import styles from './video-page.module.css'

export const videoPage = createLazyRoute('/signed-in/o/$organization/videos/$video')({ component: VideoPage })

function VideoPage() {
  const { video } = videoPage.useParams()
  return <Video key={video} id={video} />
}

function Video({ id }: { readonly id: string }) {
  const { t } = useLingui()
  const { data: asset, error, refetch } = useVideoQuery(id)
  useLiveVideo(id)
  if (error && (!asset || isMissing(error))) return <Missing error={error} onRetry={() => void refetch()} />
  if (!asset) {
    return (
      <p className={styles.loading} role="status">
        {t`Loading…`}
      </p>
    )
  }
  return (
    <VideoProvider asset={asset}>
      <div className={styles.page}>
        <Header />
        <div className={styles.columns}>
          <div className={styles.player}>
            <Player />
            <ProcessingStatus />
            <PartNotice />
          </div>
          <div className={styles.parts}>
            <Parts />
            <VideoApi />
          </div>
          <aside className={styles.side} aria-label={t`Details`}>
            <Details />
          </aside>
        </div>
      </div>
    </VideoProvider>
  )
}

const isMissing = (error: unknown) => [400, 404, 410].includes(problemOf(error)?.status ?? 0)

type MissingProps = { readonly error: unknown; readonly onRetry: () => void }

function Missing({ error, onRetry }: MissingProps) {
  const { t } = useLingui()
  const current = useOrganization()
  const organization = current.id
  const problemText = useProblemText()
  const isGone = isMissing(error)
  return (
    <div className={styles.missing}>
      <PageTitle title={isGone ? t`This video does not exist` : t`The video cannot be shown`} />
      <p>{isGone ? t`It is in the trash, was deleted, or the link is wrong.` : problemText(error)}</p>
      {!isGone && <Button onClick={onRetry}>{t`Try again`}</Button>}
      <Link to="/o/$organization/library" params={{ organization }} search={{}}>{t`Go to the library`}</Link>
      {isGone && maySeeTrash(current) && (
        <Link to="/o/$organization/trash" params={{ organization }}>{t`Open the trash`}</Link>
      )}
    </div>
  )
}
