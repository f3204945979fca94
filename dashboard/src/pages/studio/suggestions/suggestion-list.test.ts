import { describe, expect, it } from 'vitest'
import { groupsOf, markedOf, neighborOf } from './suggestion-list.ts'

const at = (...starts: readonly number[]) =>
  starts.map((startMs, index) => ({ startMs, title: `Chapter ${index + 1}` }))
const nothing = { file: [], topic: [], scene: [], pause: [], even: [] }
const found = { ...nothing, scene: at(8000, 16_000), pause: at(7880), even: at(0, 10_000) }
const none = new Map<string, string>()

describe('groupsOf', () => {
  it('leaves out what is a chapter, or almost', () => {
    const groups = groupsOf(found, [{ key: 'a', title: 'A', startMs: 8100 }], none)
    expect(groups.scene.map(({ startMs }) => startMs)).toEqual([16_000])
    expect(groups.pause).toEqual([])
  })

  it('keeps the title that the user has written', () => {
    const { scene } = groupsOf(found, [], new Map([['scene 16000', 'Questions']]))
    expect(scene.map(({ title }) => title)).toEqual(['Chapter 1', 'Questions'])
  })
})

describe('markedOf', () => {
  it('returns everything that was found in the video, in order', () => {
    expect(markedOf(groupsOf(found, [], none)).map(({ key }) => key)).toEqual([
      'pause 7880',
      'scene 8000',
      'scene 16000',
    ])
  })

  it('returns equal lengths if nothing was found', () => {
    expect(markedOf(groupsOf({ ...nothing, even: found.even }, [], none))).toHaveLength(2)
  })
})

describe('neighborOf', () => {
  const list = markedOf(groupsOf(found, [], none))
  const key = (place: Parameters<typeof neighborOf>[1], direction: -1 | 1) => neighborOf(list, place, direction)?.key

  it('goes on from the selected suggestion', () => {
    expect(key({ startMs: 0, key: 'pause 7880' }, 1)).toBe('scene 8000')
    expect(key({ startMs: 0, key: 'scene 8000' }, -1)).toBe('pause 7880')
    expect(key({ startMs: 0, key: 'scene 16000' }, 1)).toBeUndefined()
  })

  it('starts at the playhead if none is selected', () => {
    expect(key({ startMs: 8000, key: undefined }, 1)).toBe('scene 8000')
    expect(key({ startMs: 8000, key: 'gone' }, -1)).toBe('pause 7880')
  })
})
