/** The time from the request of a change until a search finds it, over HTTP and beside all other organizations. */
import { ApiProcess, newCaller, probedAsset, type StackEnv, setUpUploads } from '@reelkeep/testkit'

type Found = { readonly results: readonly unknown[] }
type Created = { readonly id: string }

function bodyOf<Body>({ status, body }: { readonly status: number; readonly body: Body }): Body {
  if (status >= 300) throw new Error(`A change failed with ${status}: ${JSON.stringify(body)}`)
  return body
}

/** Replaces a subtitle track and adds a chapter in turn. Returns the milliseconds of each change. */
export async function delaysOfChanges(env: StackEnv, changes: number): Promise<number[]> {
  await setUpUploads(env)
  await using api = await ApiProcess.start({}, env)
  const caller = await newCaller(api.send, env)
  const { asset } = await probedAsset(caller, {}, env)
  const path = `assets/${asset.id}/`
  const vttOf = (word: string) => `WEBVTT\n\n00:00.000 --> 00:01.000\nNow comes ${word}\n`
  const track = bodyOf(await caller.post<Created>(`${path}subtitles/`, { language: 'en', content: vttOf('x') }))
  let chapter: string | undefined
  const delays: number[] = []
  for (let number = 0; number < changes; number++) {
    const word = `change${number}word`
    if (chapter !== undefined) await caller.delete(`${path}chapters/${chapter}/`)
    chapter = undefined
    const start = performance.now()
    if (number % 2 === 0) bodyOf(await caller.put(`${path}subtitles/${track.id}/`, { content: vttOf(word) }))
    else {
      const chapters = [{ title: `About ${word}`, start_time: '00:00:00' }]
      chapter = bodyOf(await caller.post<{ results: Created[] }>(`${path}chapters/`, { chapters })).results[0]?.id
    }
    while ((await caller.get<Found>(`search/?q=${word}`)).body.results.length === 0) {
      // Searches again at once: the delay is what is measured.
    }
    delays.push(performance.now() - start)
  }
  return delays
}
