import { useQuery } from '@tanstack/react-query'
import type { SearchResult } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { type Tile, tileAt, tilesOf } from '../../studio/media/filmstrip.ts'
import styles from './moments.module.css'

/** Addresses in the storyboard are valid for hours. */
const STORYBOARD_FRESH_MILLISECONDS = 30 * 60 * 1000

type Props = {
  readonly asset: Pick<SearchResult['asset'], 'id' | 'video'>
  readonly seconds: number
  /** In CSS pixels. */
  readonly width: number
}

/** The frame of the storyboard at a second of the video; the cover if there is no storyboard. */
export function MomentThumbnail({ asset, seconds, width }: Props) {
  const tile = tileAt(useStoryboard(asset), seconds * 1000)
  const { cover_thumbnail_url: cover } = asset.video
  return (
    <span className={styles.thumbnail} style={{ width }} aria-hidden="true">
      {tile ? <TileView tile={tile} width={width} /> : cover && <img src={cover} alt="" loading="lazy" />}
    </span>
  )
}

function useStoryboard({ id, video }: Props['asset']): readonly Tile[] {
  const { id: organization } = useOrganization()
  const url = video.tracks.find(({ kind }) => kind === 'storyboard')?.url
  const { data } = useQuery({
    queryKey: ['o', organization, 'storyboard-tiles', id],
    enabled: url !== undefined,
    staleTime: STORYBOARD_FRESH_MILLISECONDS,
    retry: false,
    queryFn: async ({ signal }) => {
      const response = await fetch(url ?? '', { signal })
      return response.ok ? tilesOf(await response.text(), url ?? '') : []
    },
  })
  return data ?? []
}

/** A part of the image, scaled to the width. */
const TileView = ({
  tile: { url, x, y, width: tileWidth },
  width,
}: {
  readonly tile: Tile
  readonly width: number
}) => (
  <img
    className={styles.tile}
    src={url}
    alt=""
    loading="lazy"
    style={{ transform: `scale(${width / tileWidth}) translate(${-x}px, ${-y}px)` }}
  />
)
