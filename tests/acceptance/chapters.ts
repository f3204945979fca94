import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { chapters, Page } from '@reelkeep/contract'
import { type Caller, formOf, postByFetch } from '@reelkeep/testkit'
import { complete, newSession, readAsset } from './uploads.ts'

export type Chapter = chapters.Chapter
export type ChapterPage = Page<Chapter>

/** Real videos, of exactly these seconds; `files/make` tells how they came about. */
const videos = { 600: 'ten-minutes.mp4', 10.5: 'ten-and-a-half-seconds.mp4' } as const

/** Looking into a file is the first thing that is done with it, but others may have come first. */
const PROBED_SECONDS_MAX = 120
const ASK_AGAIN_MILLISECONDS = 200

/** For the hooks that wait for it. */
export const PROBED_MILLISECONDS_MAX = (PROBED_SECONDS_MAX + 20) * 1000

/**
 * Uploads a video of this length and waits until the service knows how long it is. Answers the address of its
 * chapters, relative to the organization. It takes a deployment that has a worker.
 */
export async function chaptersOfVideo(
  caller: Caller,
  title: string,
  seconds: keyof typeof videos = 600,
): Promise<string> {
  const opened = await newSession(caller, title, { resolutions: ['240p'] })
  const file = readFileSync(new URL(`./files/${videos[seconds]}`, import.meta.url))
  const { status } = await postByFetch(formOf(opened.client_payload, file))
  if (status >= 300) throw new Error(`Storage refused the file: ${status}`)
  await complete(caller, opened)
  const deadline = performance.now() + PROBED_SECONDS_MAX * 1000
  for (;;) {
    const { video } = await readAsset(caller, opened)
    if (video.duration !== null) return `assets/${opened.asset.id}/chapters/`
    if (performance.now() > deadline || video.status === 'Error') {
      throw new Error(`The duration is not known: ${JSON.stringify(video)}`)
    }
    await sleep(ASK_AGAIN_MILLISECONDS)
  }
}

export const add = (caller: Caller, list: string, ...chapters: unknown[]) =>
  caller.post<ChapterPage>(list, { chapters })

/** Chapters whose titles do not matter. */
export const addAt = (caller: Caller, list: string, ...starts: string[]) =>
  add(caller, list, ...starts.map((start_time) => ({ title: `At ${start_time}`, start_time })))

/** All of them, however many pages that takes. */
export async function allChapters(caller: Caller, list: string): Promise<Chapter[]> {
  const all: Chapter[] = []
  for (let address: string | null = `${list}?limit=100`; address !== null; ) {
    const { status, body, text }: { status: number; body: ChapterPage; text: string } =
      await caller.get<ChapterPage>(address)
    if (status !== 200) throw new Error(`No list to be had: ${text}`)
    all.push(...body.results)
    address = body.next
  }
  return all
}

/** Takes all away, so that the next test finds the video as it was. */
export async function clear(caller: Caller, list: string): Promise<void> {
  for (const { id } of await allChapters(caller, list)) {
    const { status, text } = await caller.delete(`${list}${id}/`)
    if (status !== 204) throw new Error(`Cannot take chapter ${id} away: ${text}`)
  }
}

export const startsOf = (chapters: readonly Chapter[]) =>
  chapters.map(({ start_time }) => start_time)

/** So many seconds, one after the other, as times. */
export const secondsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) =>
    new Date((first + index) * 1000).toISOString().slice(11, 19),
  )
