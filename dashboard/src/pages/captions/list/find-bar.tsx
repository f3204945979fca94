import { useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { icons } from '../../../ui/icons.tsx'
import type { CaptionCommands } from '../caption-commands.ts'
import { useCaptions } from '../captions-context.tsx'
import { matchesOf, replacedMatches } from '../cues/find-replace.ts'
import styles from './cue-panel.module.css'

type Props = {
  readonly commands: CaptionCommands
  /** The field gets the focus when this changes. */
  readonly request: number
  readonly onClose: () => void
}

/** The matches of a text, of which one is current. */
function useSearch(commands: CaptionCommands) {
  const { editor } = useCaptions()
  const { cues, actions } = editor
  const [find, setFind] = useState('')
  const [isCaseSensitive, setCaseSensitive] = useState(false)
  const [position, setPosition] = useState(-1)
  const searched = useDeferredValue(find)
  const matches = useMemo(() => matchesOf(cues, { find: searched, isCaseSensitive }), [cues, searched, isCaseSensitive])
  const current = matches[position]
  const goTo = (index: number) => {
    const next = (index + matches.length) % Math.max(1, matches.length)
    const cue = cues.find(({ key }) => key === matches[next]?.key)
    setPosition(next)
    if (cue) commands.show(cue)
  }
  return {
    ...{ find, isCaseSensitive, setCaseSensitive, matches, position, current, goTo },
    search: (text: string) => {
      setFind(text)
      setPosition(-1)
    },
    replace: (replacement: string) => {
      if (!current) return goTo(0)
      actions.change((all) => replacedMatches(all, [current], replacement))
      // The next match has the place of the one that was replaced.
      setPosition(position - 1)
    },
    replaceAll: (replacement: string) => actions.change((all) => replacedMatches(all, matches, replacement)),
  }
}

/** Finds a text in all captions, and replaces it in one or in all of them. */
export function FindBar({ commands, request, onClose }: Props) {
  const { t } = useLingui()
  const [replacement, setReplacement] = useState('')
  const { find, isCaseSensitive, setCaseSensitive, matches, position, current, goTo, ...search } = useSearch(commands)
  const field = useRef<HTMLInputElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: Each request moves the focus.
  useEffect(() => field.current?.select(), [request])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    onClose()
  }
  const onEnter = (run: (event: KeyboardEvent) => void) => (event: KeyboardEvent) => {
    if (event.key === 'Enter') run(event)
  }
  // The buttons are disabled when nothing is left to replace, and would lose the focus.
  const keepFocus = (replaced: number) => {
    if (replaced >= matches.length) field.current?.focus()
  }
  const replaceOne = () => {
    if (current) keepFocus(1)
    search.replace(replacement)
  }
  const replaceAll = () => {
    keepFocus(matches.length)
    search.replaceAll(replacement)
  }
  const number = position + 1
  const disabled = matches.length === 0
  return (
    <search className={styles.find} aria-label={t`Find and replace`} onKeyDown={onKeyDown}>
      <input
        ref={field}
        className={styles.findInput}
        aria-label={t`Find`}
        placeholder={t`Find`}
        value={find}
        onChange={({ target }) => search.search(target.value)}
        onKeyDown={onEnter(({ shiftKey }) => goTo(position + (shiftKey ? -1 : 1)))}
      />
      <div className={styles.replacing}>
        <output className={styles.matches}>
          {find !== '' && (current ? t`${number} of ${matches.length}` : t`${matches.length} found`)}
        </output>
        <IconButton
          label={t`Previous match`}
          icon={icons.chevronLeft}
          {...{ disabled }}
          onClick={() => goTo(position - 1)}
        />
        <IconButton
          label={t`Next match`}
          icon={icons.chevronRight}
          {...{ disabled }}
          onClick={() => goTo(position + 1)}
        />
        <IconButton label={t`Close the search`} icon={icons.close} onClick={onClose} />
      </div>
      <input
        className={styles.findInput}
        aria-label={t`Replace with`}
        placeholder={t`Replace with`}
        value={replacement}
        onChange={({ target }) => setReplacement(target.value)}
        onKeyDown={onEnter(() => search.replace(replacement))}
      />
      <div className={styles.replacing}>
        <label className={styles.case}>
          <input
            type="checkbox"
            checked={isCaseSensitive}
            onChange={({ target }) => setCaseSensitive(target.checked)}
          />
          {t`Match case`}
        </label>
        <Button size="small" {...{ disabled }} onClick={replaceOne}>{t`Replace`}</Button>
        <Button size="small" {...{ disabled }} onClick={replaceAll}>{t`Replace all`}</Button>
      </div>
    </search>
  )
}
