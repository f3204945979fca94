import { useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, memo, useEffect, useRef, useState } from 'react'
import { IconButton } from '../../../ui/button.tsx'
import { icons } from '../../../ui/icons.tsx'
import { type Chapter, cleanTitle, TITLE_LENGTH_MAX } from '../chapters/chapter-edits.ts'
import type { EditorActions } from '../save/use-editor.ts'
import { exactTime } from '../times.ts'
import styles from './panel.module.css'

type Props = {
  readonly chapter: Chapter
  readonly isSelected: boolean
  readonly isCurrent: boolean
  /** It starts after the end of the video. */
  readonly isOutside: boolean
  readonly isRenaming: boolean
  readonly onRenamed: () => void
  readonly actions: EditorActions
  readonly onShow: (key: string, startMs: number) => void
}

/** A list of 500 is rendered again for each frame of a drag, but only the row that changes. */
export const ChapterRow = memo(
  Row,
  (one, other) =>
    one.chapter === other.chapter &&
    one.isSelected === other.isSelected &&
    one.isCurrent === other.isCurrent &&
    one.isOutside === other.isOutside &&
    one.isRenaming === other.isRenaming,
)

function Row({ chapter, isSelected, isCurrent, isOutside, isRenaming, onRenamed, actions, onShow }: Props) {
  const { t } = useLingui()
  const { key, title, startMs } = chapter
  const start = exactTime(startMs)
  const row = useRef<HTMLLIElement>(null)
  const jump = useRef<HTMLButtonElement>(null)
  return (
    <li
      ref={row}
      className={styles.row}
      aria-current={isSelected || undefined}
      data-playing={isCurrent || undefined}
      onFocus={() => actions.select(key)}
    >
      <button
        ref={jump}
        type="button"
        className={styles.jump}
        aria-label={t`Go to ${start}: ${title}`}
        onClick={() => onShow(key, startMs)}
      >
        {start}
      </button>
      <TitleInput
        {...{ title, isRenaming, onRenamed }}
        onTitle={(text) => actions.rename(key, text)}
        onEnd={actions.endStep}
        onDone={() => jump.current?.focus()}
      />
      <IconButton
        label={t`Delete chapter ${title}`}
        icon={icons.trash}
        onClick={() => {
          // The button disappears with its chapter.
          const neighbor = row.current?.nextElementSibling ?? row.current?.previousElementSibling
          neighbor?.querySelector('button')?.focus()
          actions.remove(key)
        }}
      />
      {isOutside && <p className={styles.outside}>{t`Starts after the end of the video`}</p>}
    </li>
  )
}

type TitleProps = {
  readonly title: string
  readonly isRenaming: boolean
  readonly onRenamed: () => void
  readonly onTitle: (text: string) => void
  readonly onEnd: () => void
  /** The focus goes on, so that shortcuts work again. */
  readonly onDone: () => void
}

/** The title as a field that looks like text. Each key changes the chapter; Escape restores the title. */
function TitleInput({ title, isRenaming, onRenamed, onTitle, onEnd, onDone }: TitleProps) {
  const { t } = useLingui()
  const input = useRef<HTMLInputElement>(null)
  const before = useRef(title)
  const [edited, setEdited] = useState({ title, text: title })
  // A space at the end, or an empty field, is not part of the title yet.
  if (edited.title !== title) setEdited({ title, text: cleanTitle(edited.text) === title ? edited.text : title })
  useEffect(() => {
    if (isRenaming) input.current?.select()
  }, [isRenaming])
  const leave = () => {
    setEdited({ title, text: title })
    onRenamed()
    onEnd()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== 'Escape') return
    event.preventDefault()
    if (event.key === 'Escape') onTitle(before.current)
    onDone()
  }
  return (
    <input
      ref={input}
      className={styles.title}
      aria-label={t`Title of the chapter`}
      maxLength={TITLE_LENGTH_MAX}
      value={edited.text}
      onChange={({ target }) => {
        setEdited({ title, text: target.value })
        onTitle(target.value)
      }}
      onKeyDown={onKeyDown}
      onFocus={() => {
        before.current = title
      }}
      onBlur={leave}
    />
  )
}
