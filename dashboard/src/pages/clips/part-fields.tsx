import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/forms/text-field.tsx'
import { icons } from '../../ui/icons.tsx'
import { useTimelineTools } from '../studio/studio-context.tsx'
import { exactTime } from '../studio/times.ts'
import styles from './part.module.css'
import { type Edge, shownAt, type TimeProblem, withTyped } from './part.ts'
import type { PartState } from './use-part.ts'

/** Start, end and length of the part. */
export function PartFields({ state }: { readonly state: PartState }) {
  const { t } = useLingui()
  const { part } = state
  const frames = part.endFrame - part.startFrame
  const length = exactTime(state.ms('endFrame') - state.ms('startFrame'))
  return (
    <div className={styles.fields}>
      <EdgeField state={state} edge="startFrame" label={t`Start`}>
        <Button size="small" onClick={state.startHere}>{t`Set start here`}</Button>
      </EdgeField>
      <EdgeField state={state} edge="endFrame" label={t`End`}>
        <Button size="small" onClick={state.endHere}>{t`Set end here`}</Button>
      </EdgeField>
      <div className={styles.length}>
        <p className={styles.value} role="status">
          {t`Length ${length}`}
        </p>
        <p className={styles.hint}>{plural(frames, { one: '# frame', other: '# frames' })}</p>
        <Button
          size="small"
          icon={state.isPlaying ? icons.pause : icons.play}
          onClick={state.isPlaying ? state.stop : state.play}
        >
          {state.isPlaying ? t`Stop` : t`Play the part`}
        </Button>
      </div>
    </div>
  )
}

type FieldProps = {
  readonly state: PartState
  readonly edge: Edge
  readonly label: string
  readonly children: React.ReactNode
}

const SHIFT_FRAMES = 10

/** A time as text. It is used when the field is left, or with Enter. */
function EdgeField({ state, edge, label, children }: FieldProps) {
  const { t } = useLingui()
  const { video } = useTimelineTools()
  const { part } = state
  const [typed, setTyped] = useState<string>()
  const [problem, setProblem] = useState<TimeProblem>()
  const shown = shownAt(part, edge)
  const end = exactTime(video.durationMs)
  const texts: Readonly<Record<TimeProblem, string>> = {
    'no-time': t`Write a time such as 1:15.480.`,
    'after-end': t`The video ends at ${end}.`,
    order: t`The start must be before the end.`,
  }
  const commit = () => {
    if (typed === undefined) return
    const result = withTyped(part, edge, { text: typed, video })
    if ('problem' in result) return setProblem(result.problem)
    setTyped(undefined)
    setProblem(undefined)
    state.change(result.part, edge)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    if (direction !== undefined && !event.altKey) {
      event.preventDefault()
      setTyped(undefined)
      setProblem(undefined)
      state.moveTo(edge, part[edge] + (event.shiftKey ? SHIFT_FRAMES * direction : direction))
    } else if (event.key === 'Enter') {
      // The form is sent with its button, not while a time is written.
      event.preventDefault()
      commit()
    }
  }
  return (
    <div className={styles.edgeField}>
      <TextField
        label={label}
        hint={edge === 'startFrame' ? t`First frame: ${shown}` : t`Last frame: ${shown}`}
        error={problem && texts[problem]}
        inputMode="decimal"
        autoComplete="off"
        value={typed ?? exactTime(state.ms(edge))}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={onKeyDown}
        onBlur={commit}
      />
      {children}
    </div>
  )
}
