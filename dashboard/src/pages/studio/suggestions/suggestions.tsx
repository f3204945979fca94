import { useLingui } from '@lingui/react/macro'
import { useRef } from 'react'
import { numberFormat } from '../../../app/texts/formats.ts'
import { Button } from '../../../ui/button.tsx'
import { evenLengths } from '../chapters/proposals.ts'
import styles from '../panel/panel.module.css'
import { useVisibleRow } from '../panel/use-visible-row.ts'
import { useStudio } from '../studio-context.tsx'
import type { SuggestionCommands } from './suggestion-commands.ts'
import { SuggestionGroup } from './suggestion-group.tsx'

type Props = { readonly commands: SuggestionCommands }

/** Chapters that can be edited and accepted, one or all. The timeline has a mark for each. */
export function SuggestionPanel({ commands }: Props) {
  const { t } = useLingui()
  const { found, groups, seconds, setSeconds, selected } = useStudio().suggestions
  const box = useRef<HTMLDivElement>(null)
  useVisibleRow(box, selected)
  const taken = t`All of them are chapters already.`
  return (
    <div ref={box} className={styles.suggestions}>
      <p className={styles.hint}>{t`Nothing is added before you accept it.`}</p>
      <SuggestionGroup
        title={t`In the uploaded file`}
        suggestions={groups.file}
        empty={found.file.length > 0 ? taken : t`The file contains no chapters.`}
        commands={commands}
      />
      <TopicGroup commands={commands} />
      <SuggestionGroup
        title={t`At scene changes`}
        suggestions={groups.scene}
        empty={found.scene.length > 0 ? taken : t`No scene changes were found.`}
        commands={commands}
      />
      <SuggestionGroup
        title={t`After pauses`}
        suggestions={groups.pause}
        empty={found.pause.length > 0 ? taken : t`No pauses of a second or more were found.`}
        commands={commands}
      />
      <SuggestionGroup
        title={t`Of equal length`}
        suggestions={groups.even}
        empty={seconds === undefined ? t`The video is too short.` : taken}
        commands={commands}
      >
        {seconds !== undefined && <LengthSelect seconds={seconds} onSeconds={setSeconds} />}
      </SuggestionGroup>
    </div>
  )
}

/** Changes of topic in the captions. */
function TopicGroup({ commands }: Props) {
  const { t } = useLingui()
  const { found, groups, topics } = useStudio().suggestions
  const { hasCaptions, isKnown, isFinding, find } = topics
  const empty = () => {
    if (isFinding) return t`The captions are being read. This can take a minute.`
    if (isKnown) return found.topic.length > 0 ? t`All of them are chapters already.` : t`No topics were found.`
    return hasCaptions ? t`Finds where the topic of the captions changes.` : t`The video has no captions.`
  }
  return (
    <SuggestionGroup title={t`From the captions`} suggestions={groups.topic} empty={empty()} commands={commands}>
      {hasCaptions && !isKnown && (
        <Button size="small" isBusy={isFinding} onClick={find}>
          {t`Find topics`}
        </Button>
      )}
    </SuggestionGroup>
  )
}

type LengthProps = { readonly seconds: number; readonly onSeconds: (seconds: number) => void }

function LengthSelect({ seconds, onSeconds }: LengthProps) {
  const { t, i18n } = useLingui()
  const { video } = useStudio()
  const text = (length: number) => {
    const [value, unit] = length < 60 ? [length, 'second'] : [length / 60, 'minute']
    return numberFormat(i18n.locale, { style: 'unit', unit, unitDisplay: 'long' }).format(value)
  }
  return (
    <select
      className={styles.select}
      aria-label={t`Length of each chapter`}
      value={seconds}
      onChange={({ target }) => onSeconds(Number(target.value))}
    >
      {evenLengths(video).map((length) => (
        <option key={length} value={length}>
          {text(length)}
        </option>
      ))}
    </select>
  )
}
