/** Chapters in API responses and events. */
import type { chapters as contract } from '@reelkeep/contract'
import type { Proposals } from '@reelkeep/media'
import type { Chapter, ListedChapter, NewChapter } from './chapters.rules.ts'
import { toTimecode } from './timecodes.rules.ts'
import type { TranscriptProposals } from './transcript/transcript-proposals.ts'

export const toNewChapter = ({ title, startSeconds }: NewChapter) => ({
  title,
  start_time: toTimecode(startSeconds),
  start_seconds: startSeconds,
})

export const toChapter = (chapter: Chapter & Partial<ListedChapter>): contract.Chapter => ({
  id: chapter.id,
  ...toNewChapter(chapter),
  ...(chapter.isBeyondEnd && { beyond_end: true }),
})

export const toProposals = (found: Proposals | null): contract.ChapterProposals => ({
  proposals: (found?.starts ?? []).map(({ startSeconds, kind, pauseSeconds }) => ({
    ...{ start_seconds: startSeconds, kind, pause_seconds: pauseSeconds },
  })),
  trim: found?.trim ? { start_seconds: found.trim.startSeconds, end_seconds: found.trim.endSeconds } : null,
})

export const toTranscriptProposals = ({
  chapters,
  foundBy,
  language,
}: TranscriptProposals): contract.TranscriptProposals => ({
  proposals: chapters.map(({ startSeconds, title }) => ({ start_seconds: startSeconds, title })),
  ...{ found_by: foundBy, language },
})
