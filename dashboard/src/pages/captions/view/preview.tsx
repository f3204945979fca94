import { useLingui } from '@lingui/react/macro'
import { useSyncExternalStore } from 'react'
import { useTimelineTools } from '../../studio/studio-context.tsx'
import styles from '../captions.module.css'
import { useCaptions } from '../captions-context.tsx'
import { cueAt } from '../cues/cue-list.ts'
import { plainText } from '../cues/cue-warnings.ts'

/** The caption at the playhead, as it is edited. The player shows those that are saved. */
export function Preview() {
  const { t } = useLingui()
  const { editor } = useCaptions()
  const { playhead } = useTimelineTools()
  const cue = useSyncExternalStore(playhead.subscribe, () => cueAt(editor.cues, playhead.ms))
  return (
    <section className={styles.preview} aria-label={t`Caption at the playhead`}>
      {cue && (
        <p>
          {cue.speaker !== '' && <b>{cue.speaker}: </b>}
          {plainText(cue.text)}
        </p>
      )}
    </section>
  )
}
