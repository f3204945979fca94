import type { AssetPage, ListedVideo } from './listed-video.ts'

/** The loaded pages of a list, as the query cache has them. */
export type VideoPages = { readonly pages: readonly AssetPage[]; readonly pageParams: readonly unknown[] }

export const videosIn = ({ pages }: VideoPages) => pages.flatMap(({ videos }) => videos)

/** What is now known of some videos: those in `ids` that are not in `found` no longer match the list. */
export type Known = { readonly ids: ReadonlySet<string>; readonly found: readonly ListedVideo[] }

/**
 * The pages with changed videos replaced in place and those that no longer match removed. New videos are put first if
 * `newestFirst`; otherwise their place is not known, and only the count changes.
 */
export function updatedPages<T extends VideoPages>(data: T, { ids, found }: Known, newestFirst: boolean): T {
  const byId = new Map(found.map((video) => [video.id, video]))
  let removed = 0
  const pages = data.pages.map((page) => {
    if (!page.videos.some(({ id }) => ids.has(id))) return page
    const videos = page.videos.flatMap((video) => {
      if (!ids.has(video.id)) return [video]
      const now = byId.get(video.id)
      byId.delete(video.id)
      if (!now) removed += 1
      return now ? [now] : []
    })
    return { ...page, videos }
  })
  const added = [...byId.values()].sort((one, other) => other.createdAt.localeCompare(one.createdAt))
  return { ...data, pages: withNew(pages, newestFirst ? added : [], added.length - removed) }
}

function withNew(pages: readonly AssetPage[], added: readonly ListedVideo[], difference: number): AssetPage[] {
  return pages.map((page, index) => ({
    ...page,
    count: page.count === null ? null : Math.max(0, page.count + difference),
    videos: index === 0 && added.length > 0 ? [...added, ...page.videos] : page.videos,
  }))
}

/** The pages with some fields of one video changed; the same object if they do not contain it. */
export function patchedPages<T extends VideoPages>(data: T, id: string, patch: Partial<ListedVideo>): T {
  const index = data.pages.findIndex(({ videos }) => videos.some((video) => video.id === id))
  if (index < 0) return data
  const pages = data.pages.map((page, at) => {
    if (at !== index) return page
    return { ...page, videos: page.videos.map((video) => (video.id === id ? { ...video, ...patch } : video)) }
  })
  return { ...data, pages }
}
