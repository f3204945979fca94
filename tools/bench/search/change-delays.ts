/** The time from the request of a change until a search finds it, over HTTP and beside all other organizations. */
import { ApiProcess, newCaller, probedAsset, type StackEnv } from '@reelkeep/testkit'

type Found = { readonly results: readonly unknown[] }

/** Replaces a subtitle track and adds a chapter in turn. Returns the milliseconds of each change. */
export async function delaysOfChanges(env: StackEnv, changes: number): Promise<number[]> {
  await using api = await ApiProcess.start({}, env)
  const caller = await newCaller(api.send, env)
  const { asset } = await probedAsset(caller, {}, env)
  const path = `assets/${asset.id}/`
  const vttOf = (word: string) => `WEBVTT\n\n00:00.000 --> 00:01.000\nNow comes ${word}\n`
  const { body: track } = await caller.post<{ id: string }>(`${path}subtitles/`, {
    language: 'en',
    content: vttOf('x'),
  })
  let chapter: number | undefined
  const delays: number[] = []
  for (let number = 0; number < changes; number++) {
    const word = `change${number}word`
    if (chapter !== undefined) await caller.delete(`${path}chapters/${chapter}/`)
    chapter = undefined
    const start = performance.now()
    if (number % 2 === 0) await caller.put(`${path}subtitles/${track.id}/`, { content: vttOf(word) })
    else {
      const chapters = [{ title: `About ${word}`, start_time: '00:00:00' }]
      const { body } = await caller.post<{ results: { id: number }[] }>(`${path}chapters/`, { chapters })
      chapter = body.results[0]?.id
    }
    while ((await caller.get<Found>(`search/?q=${word}`)).body.results.length === 0) {
      // Searches again at once: the delay is what is measured.
    }
    delays.push(performance.now() - start)
  }
  return delays
}
