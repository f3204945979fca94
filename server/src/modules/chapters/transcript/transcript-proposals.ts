/** Proposes chapters from what is said in a video. They are never chapters before a person has accepted them. */
import type { AssetId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { findProposals, requireAsset, wholeDurationOf } from '../../assets/assets.ts'
import { readSpokenParts } from '../../moments/moments.ts'
import type { ChapterModel } from './chapter-model.ts'
import { topicShifts } from './topic-shifts.rules.ts'
import { chapterCountMax, type ProposedChapter, startsOf } from './transcript.rules.ts'

export type TranscriptProposals = {
  readonly chapters: readonly ProposedChapter[]
  /** How the topics were found. Null if the video has no transcript. */
  readonly foundBy: 'model' | 'meanings' | 'words' | null
  /** BCP 47 tag of the transcript. */
  readonly language: string | null
}

const nothing: TranscriptProposals = { chapters: [], foundBy: null, language: null }

export async function proposeChapters(
  db: OrganizationDb,
  assetId: AssetId,
  model: ChapterModel | undefined,
): Promise<TranscriptProposals> {
  const asset = await requireAsset(db, assetId)
  const [transcript, found] = await Promise.all([readSpokenParts(db, assetId), findProposals(db, asset)])
  // Subtitles have times of the whole, also if a part is shown.
  const durationMs = 1000 * (asset.range ? wholeDurationOf(asset.range) : (asset.durationSeconds ?? 0))
  const parts = transcript.filter(({ startMs }) => startMs < durationMs)
  const [first] = parts
  if (!first) return nothing
  const countMax = chapterCountMax(durationMs / 1000)
  const chosen = await model?.findChapters({ organizationId: db.organizationId, parts, countMax })
  const hasMeanings = parts.every(({ fingerprints }) => fingerprints !== null)
  return {
    chapters: startsOf(parts, chosen ?? topicShifts(parts, { countMax }), found),
    foundBy: chosen ? 'model' : hasMeanings ? 'meanings' : 'words',
    language: first.language === '' ? null : first.language,
  }
}
