import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { type SubmitEvent, useId, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { icons } from '../../../ui/icons.tsx'
import { type LineProblem, type ReadLine, readTableOfContents } from '../chapters/table-of-contents.ts'
import type { Commands } from '../studio-commands.ts'
import { useStudio } from '../studio-context.tsx'
import { exactTime } from '../times.ts'
import styles from './panel.module.css'

type Props = { readonly initial: string; readonly commands: Commands; readonly onClose: () => void }

/** Reads a table of contents in the browser and shows what becomes of it. */
export function PasteDialog({ initial, commands, onClose }: Props) {
  const { t } = useLingui()
  const { video, editor } = useStudio()
  const id = useId()
  const [text, setText] = useState(initial)
  const [isReplacing, setReplacing] = useState(true)
  const lines = readTableOfContents(text, video.durationMs)
  const chapters = lines.flatMap(({ chapter }) => (chapter ? [chapter] : []))
  const skipped = lines.length - chapters.length
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (chapters.length === 0) return
    if (isReplacing) commands.replaceAll(chapters)
    else commands.add(chapters)
    onClose()
  }
  return (
    <Dialog title={t`Paste a table of contents`} isWide onClose={onClose}>
      <form className={styles.pasteForm} onSubmit={submit}>
        <label htmlFor={id}>{t`One chapter per line, each with its time first`}</label>
        <textarea
          id={id}
          className={styles.textarea}
          rows={6}
          autoFocus
          placeholder={'0:00 Welcome\n1:30 Interview\n12:05.480 Questions'}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        {lines.length > 0 && <Preview lines={lines} />}
        {editor.chapters.length > 0 && (
          <label className={styles.check}>
            <input type="checkbox" checked={isReplacing} onChange={({ target }) => setReplacing(target.checked)} />
            {t`Replace the existing chapters`}
          </label>
        )}
        <p className={styles.hint} role="status">
          {skipped > 0 && t`${plural(skipped, { one: '# line is', other: '# lines are' })} not used.`}
        </p>
        <Button type="submit" look="primary" size="large" disabled={chapters.length === 0}>
          {t`Use ${plural(chapters.length, { one: '# chapter', other: '# chapters' })}`}
        </Button>
      </form>
    </Dialog>
  )
}

function Preview({ lines }: { readonly lines: readonly ReadLine[] }) {
  const { t } = useLingui()
  const problems: Readonly<Record<LineProblem, string>> = {
    'no-time': t`does not start with a time`,
    'no-title': t`has no title`,
    'after-end': t`after the end of the video`,
    taken: t`the time is used twice`,
    'too-many': t`more than 500 chapters`,
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: A list that scrolls must be reached by keyboard.
    <ul className={styles.preview} aria-label={t`Preview`} tabIndex={0}>
      {lines.map(({ line, text, chapter, problem }) => (
        <li key={line} data-problem={problem}>
          {chapter ? (
            <>
              <b>{exactTime(chapter.startMs)}</b>
              <span>{chapter.title}</span>
            </>
          ) : (
            <>
              {icons.warning}
              <span>
                {text} <em>{problems[problem]}</em>
              </span>
            </>
          )}
        </li>
      ))}
    </ul>
  )
}
