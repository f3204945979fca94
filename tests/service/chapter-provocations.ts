import { type Caller, openSession, probedAsset } from '@reelkeep/testkit'
import type { Provocations, Stage } from './provocations.ts'

const nowhere = 'assets/019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e/chapters/'
const one = (start_time: string, title = 'x') => [{ title, start_time }]

/** The chapters of a video of ten minutes. */
const newList = async (caller: Caller) =>
  `assets/${(await probedAsset(caller, { durationSeconds: 600 })).asset.id}/chapters/`

/** The same with as many in it as there may be. */
async function fullList({ caller }: Stage): Promise<string> {
  const list = await newList(caller)
  const chapters = Array.from({ length: 500 }, (_, second) => ({
    title: 'x',
    start_time: `00:0${Math.floor(second / 60)}:${String(second % 60).padStart(2, '0')}`,
  }))
  await caller.post(list, { chapters })
  return list
}

export const chapterProvocations = {
  addChapters: {
    asset_not_found: ({ caller }) => caller.post(nowhere, { chapters: one('00:00:00') }),
    invalid_title: async ({ caller }) =>
      caller.post(await newList(caller), { chapters: one('00:00:00', ' ') }),
    video_duration_unknown: async ({ caller }) => {
      const { asset } = await openSession(caller)
      return caller.post(`assets/${asset.id}/chapters/`, { chapters: one('00:00:00') })
    },
    chapter_outside_video: async ({ caller }) =>
      caller.post(await newList(caller), { chapters: one('00:10:00') }),
    chapter_start_taken: async ({ caller }) =>
      caller.post(await newList(caller), { chapters: [...one('00:00:00'), ...one('0:00:00')] }),
    too_many_chapters: async (stage) =>
      stage.caller.post(await fullList(stage), { chapters: one('00:09:59') }),
  },
  listChapters: {
    asset_not_found: ({ caller }) => caller.get(nowhere),
    invalid_cursor: async ({ caller }) => caller.get(`${await newList(caller)}?cursor=junk`),
  },
  deleteChapter: {
    asset_not_found: ({ caller }) => caller.delete(`${nowhere}1/`),
    chapter_not_found: async ({ caller }) => caller.delete(`${await newList(caller)}1/`),
  },
} satisfies Partial<Provocations>
