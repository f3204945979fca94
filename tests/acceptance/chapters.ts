import type { chapters, Page } from '@reelkeep/contract'
import type { Caller } from '@reelkeep/testkit'
import { assetBecomes, uploadFile, videoOf } from './videos.ts'

export type Chapter = chapters.Chapter
export type ChapterPage = Page<Chapter>

/**
 * Uploads a video of the given duration and waits until the service has detected the duration. Returns the path of
 * the chapters, relative to the organization. Requires a deployment with a worker.
 */
export async function chaptersOfVideo(
  caller: Caller,
  title: string,
  seconds: Parameters<typeof videoOf>[0] = 600,
): Promise<string> {
  const opened = await uploadFile(caller, title, videoOf(seconds))
  await assetBecomes(caller, opened, ({ duration }) => duration !== null)
  return `assets/${opened.asset.id}/chapters/`
}

export const add = (caller: Caller, list: string, ...chapters: unknown[]) =>
  caller.post<ChapterPage>(list, { chapters })

/** Adds chapters with generated titles. */
export const addAt = (caller: Caller, list: string, ...starts: string[]) =>
  add(caller, list, ...starts.map((start_time) => ({ title: `At ${start_time}`, start_time })))

/** All chapters, from all pages. */
export async function allChapters(caller: Caller, list: string): Promise<Chapter[]> {
  const all: Chapter[] = []
  for (let url: string | null = `${list}?limit=100`; url !== null; ) {
    const { status, body, text }: { status: number; body: ChapterPage; text: string } =
      await caller.get<ChapterPage>(url)
    if (status !== 200) throw new Error(`Cannot read the list: ${text}`)
    all.push(...body.results)
    if (all.length > body.count) throw new Error(`${list} lists more chapters than it counts`)
    url = body.next
  }
  return all
}

/** Deletes all chapters of the video. */
export async function clear(caller: Caller, list: string): Promise<void> {
  for (const { id } of await allChapters(caller, list)) {
    const { status, text } = await caller.delete(`${list}${id}/`)
    if (status !== 204) throw new Error(`Cannot delete chapter ${id}: ${text}`)
  }
}

export const startsOf = (chapters: readonly Chapter[]) => chapters.map(({ start_time }) => start_time)

/** Consecutive seconds in the form HH:MM:SS. */
export const secondsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => new Date((first + index) * 1000).toISOString().slice(11, 19))
