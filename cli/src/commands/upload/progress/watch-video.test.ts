import type { Asset, AssetProgress, Reelkeep } from 'reelkeep'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { watchVideo } from './watch-video.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

type Wait = (id: string, options: { onProgress: (progress: AssetProgress) => void }) => Promise<Asset>

/** Watches a video that reports the status once, and returns the notes of two minutes. */
async function notesFor(status: AssetProgress['status']): Promise<string[]> {
  const notes: string[] = []
  const asset = { id: 'a1' } as Asset
  const finished = Promise.withResolvers<Asset>()
  const waitUntilPlayable: Wait = (id, { onProgress }) => {
    onProgress({ id, status, progress: 0, renditions: [] })
    return finished.promise
  }
  const watched = watchVideo(asset, {
    reelkeep: { assets: { waitUntilPlayable, waitUntilCompleted: async () => asset } } as unknown as Reelkeep,
    signal: new AbortController().signal,
    onPercent: () => {},
    onPlayable: () => {},
    onNote: (text) => notes.push(text),
  })
  vi.advanceTimersByTime(120_000)
  finished.resolve(asset)
  await watched
  return notes
}

it('a video that no worker has started after a minute is reported once, with what to do', async () => {
  expect(await notesFor('Queued')).toEqual(['no worker has started yet; check with: reelkeep doctor'])
})

it('a video that a worker has started is not reported, however long it takes', async () => {
  expect(await notesFor('Processing')).toEqual([])
})
