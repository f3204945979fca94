import type { Moment, SearchResult } from 'reelkeep'
import { clock } from '../pages/library/assets/formats.ts'
import { MomentText, useKindText } from '../pages/search/moments/moment-text.tsx'
import { MomentThumbnail } from '../pages/search/moments/moment-thumbnail.tsx'
import styles from './command-palette.module.css'

const THUMBNAIL_WIDTH = 72

type Props = { readonly asset: SearchResult['asset']; readonly moment: Moment }

/** A moment in the command palette: its frame, words, time and kind, and the title of the video. */
export function PaletteMoment({ asset, moment }: Props) {
  const kindText = useKindText()
  return (
    <span className={styles.moment}>
      <MomentThumbnail asset={asset} seconds={moment.start_seconds} width={THUMBNAIL_WIDTH} />
      <span className={styles.momentAbout}>
        <span className={styles.momentText} lang={moment.language ?? undefined}>
          <MomentText moment={moment} isOneLine />
        </span>
        <span className={styles.momentDetails}>
          {clock(moment.start_seconds)} · {kindText(moment)} · {asset.title}
        </span>
      </span>
    </span>
  )
}
