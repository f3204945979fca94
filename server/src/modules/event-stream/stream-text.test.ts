import { describe, expect, it } from 'vitest'
import type { AssetId, EventId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import { eventText, heartbeat, opening, progressText, wantsProgress } from './stream-text.ts'

const assetId = '019a0000-0000-7000-8000-000000000000' as AssetId

describe('the text of an event stream', () => {
  it('has one data line, whatever the data contains', () => {
    const text = eventText({
      number: 42,
      id: 'an id' as EventId,
      type: 'folder.created',
      assetId: null,
      createdAt: 'some time' as Timestamp,
      data: { title: 'one\ntwo\r\n\nevent: forged\u2028' },
    })
    const [id, event, data = '', ...rest] = text.split(/\r\n|\r|\n/)
    expect([id, event, rest]).toEqual(['id: 42', 'event: folder.created', ['', '']])
    expect(JSON.parse(data.slice('data: '.length))).toMatchObject({
      number: 42,
      data: { title: 'one\ntwo\r\n\nevent: forged\u2028' },
    })
  })

  it('has an id in its first message and in heartbeats, but not in progress messages', () => {
    expect(opening(0)).toBe('retry: 2000\nid: 0\n\n')
    expect(heartbeat(42)).toBe(': heartbeat\nid: 42\n\n')
    const progress = { id: assetId, status: 'Processing', progress: 7, renditions: [] }
    expect(progressText(progress)).not.toContain('id: ')
  })
})

describe('wantsProgress', () => {
  it.each<[boolean, readonly string[], string | null]>([
    [true, [], null],
    [true, [], assetId],
    [false, [], 'another'],
    [true, ['asset.*'], null],
    [true, ['folder.created', 'asset.progress'], null],
    [false, ['asset.*'], 'another'],
    [false, ['asset.completed'], null],
    [false, ['folder.*'], assetId],
  ])('is %s for types %j and asset %j', (isWanted, types, only) => {
    expect(wantsProgress({ types, assetId: only as AssetId | null }, assetId)).toBe(isWanted)
  })
})
