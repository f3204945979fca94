import { useLingui } from '@lingui/react/macro'
import { Button } from '../../../ui/button.tsx'
import { studioIcons } from '../studio-icons.tsx'
import styles from './timeline.module.css'
import { Transport, ZoomButtons } from './transport.tsx'
import type { Zoom } from './use-zoom.ts'

type Props = {
  readonly zoom: Zoom
  readonly isSnapping: boolean
  readonly onSnapping: () => void
  readonly onSplit: () => void
  readonly onGo: (direction: -1 | 1) => void
}

/** Buttons for what shortcuts do as well. */
export function TimelineToolbar({ zoom, isSnapping, onSnapping, onSplit, onGo }: Props) {
  const { t } = useLingui()
  return (
    <div className={styles.toolbar} role="toolbar" aria-label={t`Timeline tools`}>
      <Transport previous={t`Previous chapter`} next={t`Next chapter`} onGo={onGo} />
      <Button size="small" icon={studioIcons.split} onClick={onSplit}>
        {t`New chapter here`}
      </Button>
      <div className={styles.toolsAtEnd}>
        <button
          type="button"
          className={styles.toggle}
          aria-label={t`Snap`}
          aria-pressed={isSnapping}
          title={t`Dragged chapters snap to scene changes, pauses and suggestions`}
          onClick={onSnapping}
        >
          {studioIcons.magnet}
          <span className={styles.hiddenIfNarrow}>{t`Snap`}</span>
        </button>
        <ZoomButtons zoom={zoom} />
      </div>
    </div>
  )
}
