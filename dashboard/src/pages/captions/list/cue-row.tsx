import { useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, memo, useEffect, useRef } from 'react'
import { frameAt, frameStart } from '../../studio/timeline/frames.ts'
import { exactTime } from '../../studio/times.ts'
import type { CaptionCommands, FocusRequest } from '../caption-commands.ts'
import { type Cue, withTimes } from '../cues/cue-list.ts'
import { plainText, type Warning } from '../cues/cue-warnings.ts'
import type { CaptionActions } from '../save/use-captions.ts'
import styles from './cue-panel.module.css'
import { TimeInput } from './time-input.tsx'

type Props = {
  readonly cue: Cue
  readonly number: number
  readonly rate: number
  readonly language: string
  readonly warnings: readonly Warning[]
  /** Text of the second language; undefined without one. */
  readonly beside: string | undefined
  /** The field that is to get the focus now. */
  readonly focused: FocusRequest | undefined
  readonly actions: CaptionActions
  readonly commands: CaptionCommands
}

/** A row is rendered again only if its caption has changed. */
export const CueRow = memo(
  Row,
  (one, other) =>
    one.cue === other.cue &&
    one.number === other.number &&
    one.beside === other.beside &&
    one.focused === other.focused &&
    one.commands === other.commands &&
    one.warnings.map(({ kind }) => kind).join() === other.warnings.map(({ kind }) => kind).join(),
)

function Row({ cue, number, rate, language, warnings, beside, focused, actions, commands }: Props) {
  const { t } = useLingui()
  const { key, startMs, endMs, text } = cue
  const jump = useRef<HTMLButtonElement>(null)
  const setTime = (edge: 'startMs' | 'endMs') => (ms: number) =>
    actions.change((cues) => withTimes(cues, key, { [edge]: ms }))
  const nudge = (edge: 'startMs' | 'endMs') => (frames: number) =>
    actions.change(
      (cues) => withTimes(cues, key, { [edge]: frameStart(rate, Math.max(0, frameAt(rate, cue[edge]) + frames)) }),
      `${edge} ${key}`,
    )
  const leave = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    jump.current?.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: The fields in it have the focus; Escape leaves them.
    <div className={styles.row} onKeyDown={leave}>
      <div className={styles.times}>
        <button
          ref={jump}
          type="button"
          className={styles.jump}
          data-jump
          aria-label={t`Caption ${number} at ${exactTime(startMs)}: ${plainText(text)}`}
          onClick={() => commands.show(cue)}
        >
          {number}
        </button>
        <TimeInput label={t`Start`} ms={startMs} onTime={setTime('startMs')} onNudge={nudge('startMs')} />
        <TimeInput label={t`End`} ms={endMs} onTime={setTime('endMs')} onNudge={nudge('endMs')} />
      </div>
      <div className={styles.texts} data-beside={beside !== undefined || undefined}>
        <SpeakerInput {...{ cue, actions }} isFocused={focused?.field === 'speaker'} onFocused={commands.endFocus} />
        <TextInput {...{ cue, language, focused, actions, commands }} />
        {beside !== undefined && <p className={styles.beside}>{beside}</p>}
        {warnings.length > 0 && <Warnings warnings={warnings} />}
      </div>
    </div>
  )
}

type SpeakerProps = {
  readonly cue: Cue
  readonly isFocused: boolean
  readonly actions: CaptionActions
  readonly onFocused: () => void
}

function SpeakerInput({ cue: { key, speaker }, isFocused, actions, onFocused }: SpeakerProps) {
  const { t } = useLingui()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (!isFocused) return
    input.current?.select()
    onFocused()
  }, [isFocused, onFocused])
  return (
    <input
      ref={input}
      className={styles.speaker}
      aria-label={t`Speaker`}
      placeholder={t`Speaker`}
      maxLength={100}
      value={speaker}
      onChange={({ target }) => actions.nameSpeaker(key, target.value)}
      onBlur={actions.endStep}
    />
  )
}

type TextProps = Pick<Props, 'cue' | 'language' | 'focused' | 'actions' | 'commands'>

function TextInput({ cue: { key, text }, language, focused, actions, commands }: TextProps) {
  const { t } = useLingui()
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (focused?.field !== 'text') return
    const { caret = area.current?.value.length ?? 0 } = focused
    area.current?.focus()
    area.current?.setSelectionRange(caret, caret)
    commands.endFocus()
  }, [focused, commands])
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const isModified = event.ctrlKey || event.metaKey
    const neighbor = event.altKey ? { ArrowUp: -1, ArrowDown: 1 }[event.key] : undefined
    if (event.key === 'Enter' && isModified) commands.split(key, event.currentTarget.selectionStart)
    else if (neighbor === -1 || neighbor === 1) commands.focus('text', commands.go(neighbor, key)?.key)
    else if (event.altKey && event.key === 'm') commands.merge(key)
    else return
    event.preventDefault()
  }
  return (
    <textarea
      ref={area}
      className={styles.text}
      aria-label={t`Text`}
      lang={language}
      rows={2}
      value={text}
      onChange={({ target }) => actions.write(key, target.value)}
      onKeyDown={onKeyDown}
      onBlur={actions.endStep}
    />
  )
}

function Warnings({ warnings }: { readonly warnings: readonly Warning[] }) {
  const { t } = useLingui()
  const textOf = (warning: Warning) => {
    if (warning.kind === 'fast') return t`Fast: ${warning.charactersPerSecond} characters a second`
    const texts = {
      overlap: t`Overlaps the next`,
      short: t`Very short`,
      empty: t`No text: not saved`,
      outside: t`After the end of the video`,
      lines: t`More than three lines`,
    }
    return texts[warning.kind]
  }
  return (
    <ul className={styles.problems} aria-label={t`Warnings`}>
      {warnings.map((warning) => (
        <li key={warning.kind}>{textOf(warning)}</li>
      ))}
    </ul>
  )
}
