import { useLingui } from '@lingui/react/macro'
import { useMemo, useState } from 'react'
import type { Chapters } from '../chapters/chapter-edits.ts'
import { evenStarts, usualLength } from '../chapters/proposals.ts'
import type { Video } from '../timeline/zoom.ts'
import { groupsOf, markedOf, type Suggestion } from './suggestion-list.ts'
import { useFoundChapters, useProposals } from './use-proposals.ts'
import { useTopics } from './use-topics.ts'

/** Proposed chapters. Nothing is added to the chapters before the user accepts it. */
export function useSuggestions(video: Video, chapters: Chapters) {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const [selected, select] = useState<string>()
  const [titles, setTitles] = useState<ReadonlyMap<string, string>>(new Map())
  const [seconds, setSeconds] = useState(() => usualLength(video))
  const proposals = useProposals()
  const inFile = useFoundChapters()
  const topics = useTopics(video)
  const found = useMemo(() => {
    const named = (starts: readonly number[]) =>
      starts.map((startMs, index) => ({ startMs, title: t`Chapter ${index + 1}` }))
    const topic = topics.found.map(({ startMs, title }, index) => ({
      ...{ startMs, title: title ?? t`Chapter ${index + 1}` },
    }))
    const even = seconds === undefined ? [] : evenStarts(video, seconds)
    const [scene, pause] = [named(proposals.scenes), named(proposals.pauses)]
    return { file: inFile, topic, scene, pause, even: named(even) }
  }, [t, video, seconds, inFile, topics.found, proposals])
  const groups = useMemo(() => groupsOf(found, chapters, titles), [found, chapters, titles])
  const marked = useMemo(() => (isOpen ? markedOf(groups) : []), [isOpen, groups])
  return {
    found,
    groups,
    /** Shown on the timeline; none while the suggestions are closed. */
    marked,
    /** Those that `marked` has while the suggestions are open. */
    inOrder: () => markedOf(groups),
    isOpen,
    setOpen,
    selected,
    select,
    rename: ({ key }: Suggestion, title: string) => setTitles((current) => new Map([...current, [key, title]])),
    seconds,
    setSeconds,
    topics,
  }
}

export type Suggestions = ReturnType<typeof useSuggestions>
