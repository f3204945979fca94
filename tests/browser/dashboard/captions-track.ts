/** Caption tracks for the captions editor. */
import type { Page } from 'playwright-core'
import type { LibraryFixture } from './library-data.ts'

type Place = { readonly video: string; readonly track: string }

const two = (value: number) => String(value).padStart(2, '0')
const vttTime = (ms: number) =>
  `${two(Math.floor(ms / 3_600_000))}:${two(Math.floor(ms / 60_000) % 60)}:${two(Math.floor(ms / 1000) % 60)}.${String(ms % 1000).padStart(3, '0')}`

export type CueText = readonly [startMs: number, endMs: number, text: string]

export const vttOf = (cues: readonly CueText[]) =>
  `WEBVTT\n${cues.map(([start, end, text]) => `\n${vttTime(start)} --> ${vttTime(end)}\n${text}\n`).join('')}`

/** Adds a track, and returns its id. */
export async function addTrack(
  { client }: LibraryFixture,
  video: string,
  { cues, language = 'en', label = 'English' }: { cues: readonly CueText[]; language?: string; label?: string },
): Promise<string> {
  return (await client.subtitles.add(video, { language, label, content: vttOf(cues) })).id
}

export const captionsUrl = ({ origin, organizationId }: LibraryFixture, { video, track }: Place) =>
  `${origin}/o/${organizationId}/videos/${video}/captions/${track}`

/** Waits until the editor can be used. */
export async function captionsOpened(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1, name: /^Captions/ }).waitFor()
  await page.getByRole('slider', { name: 'Position' }).waitFor()
  await page.locator('reelkeep-player').getByRole('button', { name: 'Play' }).first().waitFor()
}
