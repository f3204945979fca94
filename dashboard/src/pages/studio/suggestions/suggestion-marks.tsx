import { useLingui } from '@lingui/react/macro'
import { useStudio } from '../studio-context.tsx'
import { exactTime } from '../times.ts'
import type { SuggestionCommands } from './suggestion-commands.ts'
import type { Suggestion, SuggestionKind } from './suggestion-list.ts'
import styles from './suggestion-marks.module.css'

type Props = { readonly pixelsPerSecond: number; readonly commands: SuggestionCommands }

/** A mark on the timeline for each suggestion: one click shows it, two accept it. The list has the same by keyboard. */
export function SuggestionMarks({ pixelsPerSecond, commands }: Props) {
  const { t } = useLingui()
  const { marked, selected } = useStudio().suggestions
  const reasons: Readonly<Record<SuggestionKind, string>> = {
    file: t`in the uploaded file`,
    topic: t`from the captions`,
    scene: t`scene change`,
    pause: t`after a pause`,
    even: t`equal length`,
  }
  return (
    <div className={styles.marks}>
      {marked.map((suggestion) => (
        <Mark
          key={suggestion.key}
          suggestion={suggestion}
          text={`${exactTime(suggestion.startMs)} ${suggestion.title} (${reasons[suggestion.kind]})`}
          left={(suggestion.startMs / 1000) * pixelsPerSecond}
          isSelected={suggestion.key === selected}
          commands={commands}
        />
      ))}
    </div>
  )
}

type MarkProps = {
  readonly suggestion: Suggestion
  readonly text: string
  readonly left: number
  readonly isSelected: boolean
  readonly commands: SuggestionCommands
}

const Mark = ({ suggestion, text, left, isSelected, commands }: MarkProps) => (
  <div
    className={styles.mark}
    style={{ left }}
    title={text}
    data-mark={suggestion.key}
    data-selected={isSelected || undefined}
    aria-hidden="true"
    onClick={() => commands.show(suggestion)}
    onDoubleClick={() => commands.accept(suggestion)}
  />
)
