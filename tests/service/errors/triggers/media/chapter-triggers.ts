import { type Caller, openSession, probedAsset } from '@reelkeep/testkit'
import type { ErrorTriggers, Fixture } from '../triggers.ts'

const nowhere = 'assets/019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e/chapters/'
const one = (start_time: string, title = 'x') => [{ title, start_time }]

/** Creates a ten-minute video and returns the path of its chapters. */
const newList = async (caller: Caller) =>
  `assets/${(await probedAsset(caller, { durationSeconds: 600 })).asset.id}/chapters/`

async function listWith(caller: Caller, ...starts: string[]): Promise<string> {
  const list = await newList(caller)
  await caller.post(list, { chapters: starts.flatMap((start) => one(start)) })
  return list
}

const importLines = (caller: Caller, list: string, text: string) =>
  caller.post(`${list}import/`, { format: 'lines', text })

/** Creates a video with the maximum number of chapters and returns the path of its chapters. */
async function fullList({ caller }: Fixture): Promise<string> {
  const list = await newList(caller)
  const chapters = Array.from({ length: 500 }, (_, second) => ({
    title: 'x',
    start_time: `00:0${Math.floor(second / 60)}:${String(second % 60).padStart(2, '0')}`,
  }))
  await caller.post(list, { chapters })
  return list
}

export const chapterTriggers = {
  addChapters: {
    asset_not_found: ({ caller }) => caller.post(nowhere, { chapters: one('00:00:00') }),
    invalid_title: async ({ caller }) => caller.post(await newList(caller), { chapters: one('00:00:00', ' ') }),
    video_duration_unknown: async ({ caller }) => {
      const { asset } = await openSession(caller)
      return caller.post(`assets/${asset.id}/chapters/`, { chapters: one('00:00:00') })
    },
    chapter_outside_video: async ({ caller }) => caller.post(await newList(caller), { chapters: one('00:10:00') }),
    chapter_start_taken: async ({ caller }) =>
      caller.post(await newList(caller), { chapters: [...one('00:00:00'), ...one('0:00:00')] }),
    too_many_chapters: async (fixture) => fixture.caller.post(await fullList(fixture), { chapters: one('00:09:59') }),
  },
  listChapters: {
    asset_not_found: ({ caller }) => caller.get(nowhere),
    invalid_cursor: async ({ caller }) => caller.get(`${await newList(caller)}?cursor=junk`),
  },
  readChapter: {
    asset_not_found: ({ caller }) => caller.get(`${nowhere}1/`),
    chapter_not_found: async ({ caller }) => caller.get(`${await newList(caller)}1/`),
  },
  deleteChapter: {
    asset_not_found: ({ caller }) => caller.delete(`${nowhere}1/`),
    chapter_not_found: async ({ caller }) => caller.delete(`${await newList(caller)}1/`),
  },
  editChapter: {
    asset_not_found: ({ caller }) => caller.patch(`${nowhere}1/`, { title: 'x' }),
    chapter_not_found: async ({ caller }) => caller.patch(`${await newList(caller)}1/`, { title: 'x' }),
    invalid_title: async ({ caller }) => caller.patch(`${await newList(caller)}1/`, { title: ' ' }),
    video_duration_unknown: async ({ caller, superuser }) => {
      const list = await listWith(caller, '00:00:00')
      await superuser.query('update assets set duration_seconds = null where organization_id = $1', [
        caller.organizationId,
      ])
      return caller.patch(`${list}1/`, { start_time: '00:00:01' })
    },
    chapter_outside_video: async ({ caller }) =>
      caller.patch(`${await listWith(caller, '00:00:00')}1/`, { start_time: '00:10:00' }),
    chapter_start_taken: async ({ caller }) =>
      caller.patch(`${await listWith(caller, '00:00:00', '00:00:01')}1/`, {
        start_time: '00:00:01',
      }),
  },
  replaceChapters: {
    asset_not_found: ({ caller }) => caller.send('PUT', nowhere, { chapters: [] }),
    changed_meanwhile: async ({ caller }) =>
      caller.send('PUT', await newList(caller), { chapters: [] }, { 'if-match': '"old"' }),
    invalid_title: async ({ caller }) => caller.send('PUT', await newList(caller), { chapters: one('00:00:00', ' ') }),
    video_duration_unknown: async ({ caller }) => {
      const { asset } = await openSession(caller)
      return caller.send('PUT', `assets/${asset.id}/chapters/`, { chapters: one('00:00:00') })
    },
    chapter_outside_video: async ({ caller }) =>
      caller.send('PUT', await newList(caller), { chapters: one('00:10:00') }),
    chapter_start_taken: async ({ caller }) =>
      caller.send('PUT', await newList(caller), {
        chapters: [...one('00:00:00'), ...one('0:00:00')],
      }),
  },
  importChapters: {
    asset_not_found: ({ caller }) => importLines(caller, nowhere, '0:00 x'),
    invalid_chapter_text: async ({ caller }) => importLines(caller, await newList(caller), 'x'),
    video_duration_unknown: async ({ caller }) => {
      const { asset } = await openSession(caller)
      return importLines(caller, `assets/${asset.id}/chapters/`, '0:00 x')
    },
    chapter_outside_video: async ({ caller }) => importLines(caller, await newList(caller), '10:00 x'),
    chapter_start_taken: async ({ caller }) => importLines(caller, await newList(caller), '0:00 x\n0:00 y'),
    too_many_chapters: async (fixture) => importLines(fixture.caller, await fullList(fixture), '9:59 x'),
  },
  exportChapters: {
    asset_not_found: ({ caller }) => caller.get(`${nowhere}export/`),
  },
  readFoundChapters: {
    asset_not_found: ({ caller }) => caller.get(`${nowhere}found/`),
    video_duration_unknown: async ({ caller }) => {
      const { asset } = await openSession(caller)
      return caller.get(`assets/${asset.id}/chapters/found/`)
    },
  },
  readChapterProposals: {
    asset_not_found: ({ caller }) => caller.get(`${nowhere}proposals/`),
  },
  proposeChapters: {
    asset_not_found: ({ caller }) => caller.post(`${nowhere}proposals/`),
  },
} satisfies Partial<ErrorTriggers>
