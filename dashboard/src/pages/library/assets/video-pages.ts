import type { AssetPage, ListedVideo } from './listed-video.ts'

/** The loaded pages of a list, as the query cache has them. */
export type VideoPages = { readonly pages: readonly AssetPage[]; readonly pageParams: readonly unknown[] }

export const videosIn = ({ pages }: VideoPages) => pages.flatMap(({ videos }) => videos)

/** What is now known of some videos: those in `ids` that are not in `found` no longer match the list. */
export type Known = { readonly ids: ReadonlySet<string>; readonly found: readonly ListedVideo[] }

/**
 * The pages with changed videos replaced in place and those that no longer match removed. With `newestFirst`, new videos
 * are put in their place; in other orders it is not known, and only the count changes. A video after the loaded pages is
 * loaded later, and is already counted.
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
  const others = [...byId.values()]
  const added = newestFirst ? others.filter((video) => isWithin(pages, video)) : hasMore(pages) ? [] : others
  return { ...data, pages: counted(newestFirst ? added.reduce(inserted, pages) : pages, added.length - removed) }
}

const hasMore = (pages: readonly AssetPage[]) => (pages.at(-1)?.nextCursor ?? null) !== null

const oldestIn = (pages: readonly AssetPage[]) => pages.findLast(({ videos }) => videos.length > 0)?.videos.at(-1)

/** Whether the video belongs to the pages that have been loaded, in the order of creation. */
const isWithin = (pages: readonly AssetPage[], video: ListedVideo) =>
  !hasMore(pages) || video.createdAt > (oldestIn(pages)?.createdAt ?? '')

/** The pages with the video before the first one that is older. */
function inserted(pages: readonly AssetPage[], video: ListedVideo): AssetPage[] {
  const isOlder = (other: ListedVideo) => other.createdAt < video.createdAt
  const withOlder = pages.findIndex(({ videos }) => videos.some(isOlder))
  const at = withOlder < 0 ? pages.length - 1 : withOlder
  return pages.map((page, index) => {
    if (index !== at) return page
    const place = page.videos.findIndex(isOlder)
    return { ...page, videos: page.videos.toSpliced(place < 0 ? page.videos.length : place, 0, video) }
  })
}

const counted = (pages: readonly AssetPage[], difference: number): AssetPage[] =>
  pages.map((page) => ({ ...page, count: page.count === null ? null : Math.max(0, page.count + difference) }))

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
