/** Large texts, which threads parse, in the API as an operator runs it. */
import type { Problem, subtitles } from '@reelkeep/contract'
import { ApiProcess, newCaller, openSession } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'

const api = await opened(ApiProcess.start())

const cues = (count: number) => `WEBVTT\n${'\n00:00:01.000 --> 00:00:02.000\nGuten Tag.\n'.repeat(count)}`

it('the API stores a subtitle track of a megabyte and names the invalid lines of another', async () => {
  const caller = await newCaller(api.send)
  const list = `assets/${(await openSession(caller)).asset.id}/subtitles/`
  const add = (content: string) => caller.post<subtitles.Subtitle & Problem>(list, { language: 'de', content })
  const { status, body } = await add(cues(20_000))
  expect(status).toBe(201)
  expect((await caller.send('GET', `${list}${body.id}/`)).text).toBe(cues(20_000))
  const invalid = await add(`${cues(19_999)}\nlost`)
  expect(invalid.body.errors.map(({ detail }) => detail)).toEqual([
    'Line 60000: A cue must have a timing such as 00:01:30.000 --> 00:01:32.500.',
  ])
})
