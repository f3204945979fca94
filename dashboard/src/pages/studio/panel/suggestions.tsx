import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { useVideo } from '../../video/video-context.tsx'
import type { ChapterValues } from '../chapters/chapter-edits.ts'
import { evenLengths, evenStarts, usualLength, withoutExisting } from '../chapters/proposals.ts'
import type { Commands } from '../studio-commands.ts'
import { useStudio } from '../studio-context.tsx'
import styles from './panel.module.css'
import { SuggestionGroup } from './suggestion-group.tsx'

type Props = { readonly commands: Commands; readonly onMarks: (marks: readonly number[]) => void }

/** Chapters that can be accepted, one or all. The timeline has a mark for each. */
export function Suggestions({ commands, onMarks }: Props) {
  const { t } = useLingui()
  const { video, editor, found } = useStudio()
  const [seconds, setSeconds] = useState(() => usualLength(video))
  const inFile = useFoundChapters()
  const even = useMemo(() => (seconds === undefined ? [] : evenStarts(video, seconds)), [video, seconds])
  const named = (starts: readonly number[]) =>
    starts.map((startMs, index) => ({ startMs, title: t`Chapter ${index + 1}` }))
  const open = (values: readonly ChapterValues[]) => withoutExisting(values, editor.chapters)
  const groups = {
    inFile: open(inFile),
    scenes: open(named(found.scenes)),
    pauses: open(named(found.pauses)),
    even: open(named(even)),
  }
  // Equal lengths are marked only if nothing was found in the video.
  const certain = [...groups.inFile, ...groups.scenes, ...groups.pauses]
  useMarks(certain.length > 0 ? certain : groups.even, onMarks)
  return (
    <div className={styles.suggestions}>
      <p className={styles.hint}>{t`Nothing is added before you accept it.`}</p>
      <SuggestionGroup
        title={t`In the uploaded file`}
        suggestions={groups.inFile}
        empty={inFile.length > 0 ? t`All of them are chapters already.` : t`The file contains no chapters.`}
        commands={commands}
      />
      <SuggestionGroup
        title={t`At scene changes`}
        suggestions={groups.scenes}
        empty={found.scenes.length > 0 ? t`All of them are chapters already.` : t`No scene changes were found.`}
        commands={commands}
      />
      <SuggestionGroup
        title={t`After pauses`}
        suggestions={groups.pauses}
        empty={
          found.pauses.length > 0 ? t`All of them are chapters already.` : t`No pauses of a second or more were found.`
        }
        commands={commands}
      />
      <SuggestionGroup
        title={t`Of equal length`}
        suggestions={groups.even}
        empty={seconds === undefined ? t`The video is too short.` : t`All of them are chapters already.`}
        commands={commands}
      >
        {seconds !== undefined && <LengthSelect seconds={seconds} onSeconds={setSeconds} />}
      </SuggestionGroup>
    </div>
  )
}

/** Chapters that the uploaded file contains. */
function useFoundChapters(): readonly ChapterValues[] {
  const { id: organization, client } = useOrganization()
  const { asset } = useVideo()
  const { data = [] } = useQuery({
    queryKey: ['o', organization, 'studio', asset.id, 'found', asset.version],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const { chapters } = await client.chapters.readFound(asset.id, { signal })
      return chapters.map(({ title, start_seconds: start = 0 }) => ({ title, startMs: Math.round(start * 1000) }))
    },
  })
  return data
}

/** Shows marks on the timeline while the suggestions are open. */
function useMarks(suggestions: readonly ChapterValues[], onMarks: Props['onMarks']): void {
  const starts = suggestions.map(({ startMs }) => startMs).join()
  useEffect(() => {
    onMarks(starts === '' ? [] : starts.split(',').map(Number))
    return () => onMarks([])
  }, [starts, onMarks])
}

type LengthProps = { readonly seconds: number; readonly onSeconds: (seconds: number) => void }

function LengthSelect({ seconds, onSeconds }: LengthProps) {
  const { t, i18n } = useLingui()
  const { video } = useStudio()
  const text = (length: number) => {
    const [value, unit] = length < 60 ? [length, 'second'] : [length / 60, 'minute']
    return new Intl.NumberFormat(i18n.locale, { style: 'unit', unit, unitDisplay: 'long' }).format(value)
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
