import { type Caller, openSession } from '@reelkeep/testkit'
import type { ErrorTriggers } from '../triggers.ts'

const nowhere = 'assets/019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e/subtitles/'
const unknownId = '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e'
const track = { language: 'de', content: 'WEBVTT\n\n00:01.000 --> 00:02.000\nTag\n' }

const newList = async (caller: Caller) => `assets/${(await openSession(caller)).asset.id}/subtitles/`

const text = { content: 'WEBVTT\n\n00:01.000 --> 00:02.000\nNacht\n' }

async function newTrack(caller: Caller): Promise<string> {
  const list = await newList(caller)
  return `${list}${(await caller.post<{ id: string }>(list, track)).body.id}/`
}

export const subtitleTriggers = {
  addSubtitle: {
    asset_not_found: ({ caller }) => caller.post(nowhere, track),
    invalid_language: async ({ caller }) => caller.post(await newList(caller), { ...track, language: 'german!' }),
    invalid_title: async ({ caller }) => caller.post(await newList(caller), { ...track, label: ' ' }),
    invalid_subtitle_text: async ({ caller }) => caller.post(await newList(caller), { ...track, content: 'Tag' }),
    too_many_subtitles: async ({ caller, superuser }) => {
      const { asset } = await openSession(caller)
      await superuser.query(
        `insert into subtitle_tracks (organization_id, asset_id, id, language, label, origin, storage_key)
         select $1, $2, gen_random_uuid(), 'de', 'x', 'uploaded', 'x' from generate_series(1, 50)`,
        [caller.organizationId, asset.id],
      )
      return caller.post(`assets/${asset.id}/subtitles/`, track)
    },
  },
  listSubtitles: {
    asset_not_found: ({ caller }) => caller.get(nowhere),
    invalid_cursor: async ({ caller }) => caller.get(`${await newList(caller)}?cursor=junk`),
  },
  readSubtitle: {
    asset_not_found: ({ caller }) => caller.get(`${nowhere}${unknownId}/`),
    subtitle_not_found: async ({ caller }) => caller.get(`${await newList(caller)}${unknownId}/`),
  },
  replaceSubtitle: {
    asset_not_found: ({ caller }) => caller.put(`${nowhere}${unknownId}/`, text),
    subtitle_not_found: async ({ caller }) => caller.put(`${await newList(caller)}${unknownId}/`, text),
    changed_meanwhile: async ({ caller }) => caller.put(await newTrack(caller), text, { 'If-Match': '"other"' }),
    invalid_subtitle_text: async ({ caller }) => caller.put(await newTrack(caller), { content: 'Tag' }),
  },
  listSubtitleVersions: {
    asset_not_found: ({ caller }) => caller.get(`${nowhere}${unknownId}/versions/`),
    subtitle_not_found: async ({ caller }) => caller.get(`${await newList(caller)}${unknownId}/versions/`),
  },
  readSubtitleVersion: {
    asset_not_found: ({ caller }) => caller.get(`${nowhere}${unknownId}/versions/1/`),
    subtitle_not_found: async ({ caller }) => caller.get(`${await newList(caller)}${unknownId}/versions/1/`),
    version_not_found: async ({ caller }) => caller.get(`${await newTrack(caller)}versions/2/`),
  },
  activateSubtitleVersion: {
    asset_not_found: ({ caller }) => caller.post(`${nowhere}${unknownId}/versions/1/activate/`),
    subtitle_not_found: async ({ caller }) => caller.post(`${await newList(caller)}${unknownId}/versions/1/activate/`),
    version_not_found: async ({ caller }) => caller.post(`${await newTrack(caller)}versions/2/activate/`),
    changed_meanwhile: async ({ caller }) =>
      caller.post(`${await newTrack(caller)}versions/1/activate/`, undefined, { 'If-Match': '"other"' }),
  },
  deleteSubtitle: {
    asset_not_found: ({ caller }) => caller.delete(`${nowhere}${unknownId}/`),
    subtitle_not_found: async ({ caller }) => caller.delete(`${await newList(caller)}${unknownId}/`),
  },
} satisfies Partial<ErrorTriggers>
