import { useLingui } from '@lingui/react/macro'
import type { Moment } from 'reelkeep'
import styles from './moments.module.css'
import { ONE_LINE, snippetOf } from './snippet.ts'

type Props = {
  readonly moment: Pick<Moment, 'text' | 'highlights'>
  /** Starts near the first match. */
  readonly isOneLine?: true
}

/** The text of a moment with the matching words marked, shortened if it is long. */
export const MomentText = ({ moment, isOneLine }: Props) => {
  let position = 0
  return snippetOf(moment, isOneLine && ONE_LINE).map(({ text, isMatch }) => {
    const key = position
    position += text.length
    return isMatch ? (
      <mark key={key} className={styles.mark}>
        {text}
      </mark>
    ) : (
      <span key={key}>{text}</span>
    )
  })
}

/** Says which text of the video a moment is. */
export function useKindText() {
  const { t } = useLingui()
  const texts: Readonly<Record<string, string>> = {
    title: t`Title`,
    description: t`Description`,
    tag: t`Tag`,
    chapter: t`Chapter`,
    transcript: t`Caption`,
  }
  return ({ kind }: Pick<Moment, 'kind'>) => texts[kind] ?? kind
}
