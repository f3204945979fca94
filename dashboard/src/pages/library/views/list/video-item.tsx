import { useLingui } from '@lingui/react/macro'
import { type DragEvent, type MouseEvent, memo, useState } from 'react'
import { relativeTime } from '../../../../app/texts/times.ts'
import { icons } from '../../../../ui/icons.tsx'
import { clock, sizeText } from '../../assets/formats.ts'
import type { ListedVideo } from '../../assets/listed-video.ts'
import type { ViewMode } from '../view-mode.ts'
import { HoverPreview } from './hover-preview.tsx'
import styles from './video-list.module.css'
import { VideoStatus } from './video-status.tsx'

type Props = {
  readonly video: ListedVideo
  readonly index: number
  /** Number of videos in the list; -1 if it is not known. */
  readonly setSize: number
  readonly viewMode: ViewMode
  readonly isSelected: boolean
  readonly isSelectable: boolean
  readonly isCurrent: boolean
  readonly left: number
  readonly top: number
  readonly width: number
  readonly onPress: (index: number, event: MouseEvent) => void
  readonly onDrag: (event: DragEvent, video: ListedVideo) => void
}

/** One video, as a card or as a row. The keyboard is handled by the list. */
export const VideoItem = memo(function VideoItem(props: Props) {
  const { video, index, setSize, viewMode, isSelected, isSelectable, isCurrent, left, top, width } = props
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: The list has the focus and names the active option.
    // biome-ignore lint/a11y/useKeyWithClickEvents: The list handles the keys.
    <div
      role="option"
      id={`video-${video.id}`}
      className={viewMode === 'grid' ? styles.card : styles.row}
      aria-selected={isSelected}
      aria-posinset={index + 1}
      aria-setsize={setSize}
      data-current={isCurrent || undefined}
      draggable={isSelectable}
      onDragStart={(event) => props.onDrag(event, video)}
      onClick={(event) => props.onPress(index, event)}
      style={{ width, transform: `translate(${left}px, ${top}px)` }}
    >
      <Thumbnail video={video} isSelectable={isSelectable} isSelected={isSelected} />
      <Texts video={video} viewMode={viewMode} />
    </div>
  )
})

type ThumbnailProps = Pick<Props, 'video' | 'isSelectable' | 'isSelected'>

function Thumbnail({ video, isSelectable, isSelected }: ThumbnailProps) {
  const [isHovered, setHovered] = useState(false)
  const { coverUrl, duration, status } = video
  return (
    <div
      className={styles.thumbnail}
      onPointerEnter={({ pointerType }) => setHovered(pointerType === 'mouse')}
      onPointerLeave={() => setHovered(false)}
    >
      {coverUrl && <img src={coverUrl} alt="" loading="lazy" decoding="async" draggable={false} />}
      {isHovered && coverUrl && <HoverPreview assetId={video.id} />}
      {status !== 'Completed' && <VideoStatus video={video} />}
      {isSelectable && (
        <span className={styles.tick} data-tick aria-hidden="true">
          {isSelected && icons.check}
        </span>
      )}
      {duration !== null && <span className={styles.duration}>{clock(duration)}</span>}
    </div>
  )
}

function Texts({ video, viewMode }: Pick<Props, 'video' | 'viewMode'>) {
  const { i18n } = useLingui()
  const { title, createdAt, bytes, tags } = video
  const created = relativeTime(createdAt, i18n.locale, Date.now())
  const size = bytes === null ? '' : sizeText(bytes, i18n.locale)
  return (
    <div className={styles.texts}>
      <span className={styles.title} title={title} data-title>
        {title}
      </span>
      {viewMode === 'list' && <span className={styles.tags}>{tags.join(', ')}</span>}
      <span className={styles.details}>
        <span>{created}</span>
        {(size || viewMode === 'list') && <span>{size}</span>}
      </span>
    </div>
  )
}
