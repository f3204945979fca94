import { useQuery } from '@tanstack/react-query'
import { type PointerEvent, useState } from 'react'
import { useOrganization } from '../../../../app/organization/organization.tsx'
import { frameAt, type StoryboardFrame, storyboardFrames } from '../../assets/storyboard.ts'
import styles from './video-list.module.css'

/** Shows the frame of the storyboard at the pointer. It is loaded when the pointer is on the card for the first time. */
export function HoverPreview({ assetId }: { readonly assetId: string }) {
  const { id, client } = useOrganization()
  const [place, setPlace] = useState<number>()
  const { data: frames } = useQuery({
    queryKey: ['o', id, 'storyboard', assetId],
    staleTime: STORYBOARD_FRESH_MILLISECONDS,
    retry: false,
    queryFn: async ({ signal }): Promise<readonly StoryboardFrame[]> => {
      const { results } = await client.assets.list({ id: [assetId], fields: 'video.tracks' }, { signal })
      const url = results[0]?.video?.tracks?.find(({ kind }) => kind === 'storyboard')?.url
      if (!url) return []
      const response = await fetch(url, { signal })
      return response.ok ? storyboardFrames(await response.text(), url) : []
    },
  })
  const onPointerMove = (event: PointerEvent) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    setPlace((event.clientX - left) / width)
  }
  const frame = frames && frames.length > 1 && place !== undefined ? frameAt(frames, place) : undefined
  return (
    <div className={styles.preview} aria-hidden="true" onPointerMove={onPointerMove}>
      {frame && <Frame frame={frame} />}
      {frame && <span className={styles.place} style={{ left: `${(place ?? 0) * 100}%` }} />}
    </div>
  )
}

/** Addresses in the storyboard are valid for hours. */
const STORYBOARD_FRESH_MILLISECONDS = 30 * 60 * 1000

/** A part of the image, scaled to the card. */
const Frame = ({ frame: { url, x, y, width, height } }: { readonly frame: StoryboardFrame }) => (
  <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="xMidYMid slice" aria-hidden="true">
    <image href={url} x={-x} y={-y} />
  </svg>
)
