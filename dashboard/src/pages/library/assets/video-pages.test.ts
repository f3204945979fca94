import { describe, expect, it } from 'vitest'
import type { ListedVideo } from './listed-video.ts'
import { patchedPages, updatedPages, type VideoPages, videosIn } from './video-pages.ts'

const video = (id: string, more: Partial<ListedVideo> = {}): ListedVideo => ({
  ...{ id, title: id, bytes: 1, parentId: null, tags: [], createdAt: `2026-11-18T00:00:0${id}Z` },
  ...{ status: 'Completed', progress: 100, duration: 8, coverUrl: null, problem: null },
  ...more,
})

const pages = (count: number | null, ...ids: string[][]): VideoPages => ({
  pages: ids.map((page) => ({ count, nextCursor: null, videos: page.map((id) => video(id)) })),
  pageParams: [],
})

const idsIn = (data: VideoPages) => videosIn(data).map(({ id }) => id)

describe('updatedPages', () => {
  it('replaces changed videos in place and keeps pages without changes', () => {
    const before = pages(4, ['4', '3'], ['2', '1'])
    const after = updatedPages(before, { ids: new Set(['2']), found: [video('2', { title: 'New' })] }, true)
    expect(videosIn(after).map(({ title }) => title)).toEqual(['4', '3', 'New', '1'])
    expect(after.pages[0]?.videos).toBe(before.pages[0]?.videos)
  })

  it('removes videos that no longer match, and counts them', () => {
    const after = updatedPages(pages(4, ['4', '3'], ['2', '1']), { ids: new Set(['3', '9']), found: [] }, true)
    expect([idsIn(after), after.pages[0]?.count]).toEqual([['4', '2', '1'], 3])
  })

  it('puts new videos first, the newest at the top, and counts them', () => {
    const found = [video('5'), video('6')]
    const after = updatedPages(pages(1, ['1']), { ids: new Set(['5', '6']), found }, true)
    expect([idsIn(after), after.pages[0]?.count]).toEqual([['6', '5', '1'], 3])
  })

  it('puts a video that was restored at its place by time of creation', () => {
    const after = updatedPages(pages(4, ['6', '5'], ['3', '1']), { ids: new Set(['4']), found: [video('4')] }, true)
    expect([idsIn(after), after.pages[0]?.count]).toEqual([['6', '5', '4', '3', '1'], 5])
  })

  it.each([true, false])(
    'leaves out a video after the pages that have been loaded (newest first: %s)',
    (newestFirst) => {
      const loaded = pages(9, ['9', '8'])
      const before = { ...loaded, pages: loaded.pages.map((page) => ({ ...page, nextCursor: 'next' })) }
      const after = updatedPages(before, { ids: new Set(['2']), found: [video('2')] }, newestFirst)
      expect([idsIn(after), after.pages[0]?.count]).toEqual([['9', '8'], 9])
    },
  )

  it('only counts new videos if their place is not known', () => {
    const after = updatedPages(pages(1, ['1']), { ids: new Set(['5']), found: [video('5')] }, false)
    expect([idsIn(after), after.pages[0]?.count]).toEqual([['1'], 2])
  })

  it('keeps an unknown count', () => {
    expect(updatedPages(pages(null, ['1']), { ids: new Set(['1']), found: [] }, true).pages[0]?.count).toBeNull()
  })
})

describe('patchedPages', () => {
  it('changes one video', () => {
    const after = patchedPages(pages(2, ['2'], ['1']), '1', { status: 'Error' })
    expect(videosIn(after).map(({ status }) => status)).toEqual(['Completed', 'Error'])
  })

  it('returns the same pages if they do not contain the video', () => {
    const before = pages(1, ['1'])
    expect(patchedPages(before, '7', { status: 'Error' })).toBe(before)
  })
})
