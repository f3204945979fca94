import { Link } from '@tanstack/react-router'
import type { Moment, SearchResult } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { clock } from '../../library/assets/formats.ts'
import { MomentText, useKindText } from '../moments/moment-text.tsx'
import { MomentThumbnail } from '../moments/moment-thumbnail.tsx'
import styles from './search-page.module.css'

export type FoundVideo = SearchResult

const COVER_WIDTH = 128
const THUMBNAIL_WIDTH = 96

/** A video with its moments in the order of relevance. A moment of its title is shown in the title. */
export function VideoResult({ found: { asset, moments } }: { readonly found: FoundVideo }) {
  const { id: organization } = useOrganization()
  const title = moments.find(({ kind }) => kind === 'title') ?? { text: asset.title, highlights: [] }
  const others = moments.filter(({ kind }) => kind !== 'title')
  const { duration, cover_thumbnail_url: cover } = asset.video
  return (
    <li className={styles.result}>
      <Link
        className={styles.video}
        to="/o/$organization/videos/$video"
        params={{ organization, video: asset.id }}
        data-moment
      >
        <span className={styles.cover} style={{ width: COVER_WIDTH }}>
          {cover && <img src={cover} alt="" loading="lazy" />}
        </span>
        <span className={styles.about}>
          <strong>
            <MomentText moment={title} />
          </strong>
          {duration !== null && <span className={styles.details}>{clock(duration)}</span>}
        </span>
      </Link>
      {others.length > 0 && (
        <ul className={styles.moments} aria-label={asset.title}>
          {others.map((moment) => (
            <MomentLink key={`${moment.kind} ${moment.start_seconds} ${moment.text}`} asset={asset} moment={moment} />
          ))}
        </ul>
      )}
    </li>
  )
}

type MomentProps = { readonly asset: FoundVideo['asset']; readonly moment: Moment }

/** Opens the video at the second of the moment. */
function MomentLink({ asset, moment }: MomentProps) {
  const { id: organization } = useOrganization()
  const kindText = useKindText()
  const { start_seconds: seconds } = moment
  const hasTime = moment.end_seconds !== null || seconds > 0 || moment.kind === 'chapter'
  return (
    <li>
      <Link
        className={styles.moment}
        to="/o/$organization/videos/$video"
        params={{ organization, video: asset.id }}
        search={hasTime ? { t: seconds } : {}}
        data-moment
      >
        <MomentThumbnail asset={asset} seconds={seconds} width={THUMBNAIL_WIDTH} />
        <span className={styles.about}>
          <span className={styles.details}>
            {hasTime && <time className={styles.time}>{clock(seconds)}</time>}
            <span>{kindText(moment)}</span>
          </span>
          <span className={styles.text} lang={moment.language ?? undefined}>
            <MomentText moment={moment} />
          </span>
        </span>
      </Link>
    </li>
  )
}
