import { useLingui } from '@lingui/react/macro'
import { useRef, useSyncExternalStore } from 'react'
import { Button } from '../../../ui/button.tsx'
import { icons } from '../../../ui/icons.tsx'
import { chapterAt } from '../chapters/chapter-edits.ts'
import type { Commands } from '../studio-commands.ts'
import { useStudio } from '../studio-context.tsx'
import { studioIcons } from '../studio-icons.tsx'
import { ChapterRow } from './chapter-row.tsx'
import styles from './panel.module.css'
import { useVisibleRow } from './use-visible-row.ts'

type Props = {
  readonly commands: Commands
  readonly renamed: string | undefined
  readonly onRenamed: () => void
  readonly onPaste: () => void
  readonly onSuggestions: () => void
}

/** All chapters with their titles, which are edited in place. */
export function ChapterList({ commands, renamed, onRenamed, onPaste, onSuggestions }: Props) {
  const { t } = useLingui()
  const { video, editor, playhead } = useStudio()
  const { chapters, selected, actions } = editor
  const list = useRef<HTMLOListElement>(null)
  const current = useSyncExternalStore(playhead.subscribe, () => chapterAt(chapters, playhead.ms)?.key)
  useVisibleRow(list, selected?.key)
  if (chapters.length === 0) return <NoChapters {...{ commands, onPaste, onSuggestions }} />
  return (
    <>
      <ol ref={list} className={styles.list} aria-label={t`Chapters`}>
        {chapters.map((chapter) => (
          <ChapterRow
            key={chapter.key}
            chapter={chapter}
            isSelected={chapter.key === selected?.key}
            isCurrent={chapter.key === current}
            isOutside={chapter.startMs >= video.durationMs}
            isRenaming={chapter.key === renamed}
            onRenamed={onRenamed}
            actions={actions}
            onShow={commands.show}
          />
        ))}
      </ol>
      <div className={styles.footer}>
        <Button size="small" look="quiet" icon={studioIcons.paste} onClick={onPaste}>
          {t`Paste a table of contents`}
        </Button>
      </div>
    </>
  )
}

type EmptyProps = Pick<Props, 'commands' | 'onPaste' | 'onSuggestions'>

function NoChapters({ commands, onPaste, onSuggestions }: EmptyProps) {
  const { t } = useLingui()
  return (
    <div className={styles.empty}>
      <span className={styles.emptyIcon}>{studioIcons.timeline}</span>
      <h2>{t`No chapters yet`}</h2>
      <p>{t`Play the video, and add a chapter where it starts (key S). Or begin with a list that you have.`}</p>
      <div className={styles.emptyButtons}>
        <Button look="primary" icon={icons.plus} onClick={commands.split}>
          {t`New chapter at the playhead`}
        </Button>
        <Button icon={studioIcons.paste} onClick={onPaste}>
          {t`Paste a table of contents`}
        </Button>
        <Button look="quiet" icon={studioIcons.suggestion} onClick={onSuggestions}>
          {t`See suggestions`}
        </Button>
      </div>
    </div>
  )
}
