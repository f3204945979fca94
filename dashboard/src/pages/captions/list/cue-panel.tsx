import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useDeferredValue, useMemo } from 'react'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { icons } from '../../../ui/icons.tsx'
import { useTimelineTools } from '../../studio/studio-context.tsx'
import { useSubtitles } from '../../video/tracks/track-data.ts'
import { useVideo } from '../../video/video-context.tsx'
import type { CaptionCommands, FocusRequest } from '../caption-commands.ts'
import { useCaptions } from '../captions-context.tsx'
import { indexesWithWarning } from '../cues/cue-warnings.ts'
import { CueList } from './cue-list-view.tsx'
import styles from './cue-panel.module.css'
import { FindBar } from './find-bar.tsx'

type Props = {
  readonly commands: CaptionCommands
  /** The field of a caption that is to get the focus now. */
  readonly focused: FocusRequest | undefined
  /** How often the search was asked for; 0 if it is closed. */
  readonly finding: number
  readonly isGenerated: boolean
  /** The track that is shown beside the captions. */
  readonly besideId: string | undefined
  readonly onBeside: (id: string | undefined) => void
  readonly onFind: (isFinding: boolean) => void
}

/** All captions with their times, speakers and texts, and tools for them. */
export function CuePanel({ commands, focused, finding, isGenerated, besideId, onBeside, onFind }: Props) {
  const { t } = useLingui()
  const { editor } = useCaptions()
  const { cues } = editor
  return (
    <section className={styles.panel} aria-label={t`Captions`}>
      <div className={styles.head}>
        <p className={styles.count}>{t`${plural(cues.length, { one: '# caption', other: '# captions' })}`}</p>
        <WarningButton commands={commands} />
        <div className={styles.tools}>
          <BesideSelect {...{ besideId, onBeside }} />
          <IconButton
            label={t`Find and replace`}
            icon={icons.search}
            aria-expanded={finding > 0}
            onClick={() => onFind(finding === 0)}
          />
        </div>
      </div>
      {isGenerated && (
        <p className={styles.generated}>
          {icons.warning}
          {t`These captions were generated and may contain errors. Your first save keeps them as version 1.`}
        </p>
      )}
      {finding > 0 && <FindBar commands={commands} request={finding} onClose={() => onFind(false)} />}
      {cues.length === 0 ? (
        <div className={styles.empty}>
          <p>{t`No captions. Play the video, and add one where someone speaks (key A).`}</p>
          <Button icon={icons.plus} onClick={commands.add}>{t`New caption`}</Button>
        </div>
      ) : (
        <CueList {...{ commands, focused }} />
      )}
    </section>
  )
}

/** Goes to the next caption that is hard to read. */
function WarningButton({ commands }: Pick<Props, 'commands'>) {
  const { t } = useLingui()
  const { editor } = useCaptions()
  const { video } = useTimelineTools()
  const { cues, selected } = editor
  // All captions are checked again after each change, but not before the key is shown.
  const deferred = useDeferredValue(cues)
  const found = useMemo(() => indexesWithWarning(deferred, video.durationMs), [deferred, video])
  if (found.length === 0) return null
  const next = () => {
    const index = selected ? cues.indexOf(selected) : -1
    const cue = cues[found.find((one) => one > index) ?? found[0] ?? 0]
    if (cue) commands.show(cue)
  }
  return (
    <button type="button" className={styles.warnings} title={t`Go to the next warning`} onClick={next}>
      {icons.warning}
      {t`${plural(found.length, { one: '# warning', other: '# warnings' })}`}
    </button>
  )
}

/** A second language, to be read beside the first. */
function BesideSelect({ besideId, onBeside }: Pick<Props, 'besideId' | 'onBeside'>) {
  const { t } = useLingui()
  const { id: organization } = useOrganization()
  const { asset } = useVideo()
  const { track } = useCaptions()
  const { data: tracks = [] } = useSubtitles()
  const others = tracks.filter(({ id }) => id !== track.id)
  if (others.length === 0) return null
  return (
    <>
      <select
        className={styles.select}
        aria-label={t`Second language`}
        value={besideId ?? ''}
        onChange={({ target }) => onBeside(target.value || undefined)}
      >
        <option value="">{t`One language`}</option>
        {others.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
      {besideId !== undefined && (
        <Link
          className={styles.link}
          to="/o/$organization/videos/$video/captions/$track"
          params={{ organization, video: asset.id, track: besideId }}
        >
          {t`Edit`}
        </Link>
      )}
    </>
  )
}
